import type { Action, Call } from '#command';
import type { Page } from '#reputation';

/**
 * Buttons to the first, previous, next and last page. Omits duplicates, as platforms reject two
 * buttons with the same data.
 * @param call without its page
 */
export function pageButtons(
  { page, pages }: Page,
  call: Call,
  number: (value: number) => string,
): Action[] {
  const to = (target: number, label: string): Action => ({
    label,
    call: { command: call.command, args: { ...call.args, page: String(target) } },
  });
  const buttons: Action[] = [];
  if (page > 2) buttons.push(to(1, `« ${number(1)}`));
  if (page > 1) buttons.push(to(page - 1, `‹ ${number(page - 1)}`));
  if (page < pages) buttons.push(to(page + 1, `${number(page + 1)} ›`));
  if (page < pages - 1) buttons.push(to(pages, `${number(pages)} »`));
  return buttons;
}

/** Drops rows without buttons. */
export function buttonRows(...rows: readonly (readonly Action[])[]): (readonly Action[])[] {
  return rows.filter((row) => row.length > 0);
}
