import type { Action, Call } from '#core/card';

/** Pages count from 1. */
export interface Page {
  readonly page: number;
  readonly pages: number;
  /** Items before this page. */
  readonly offset: number;
}

/** The page that was asked for; the last one when there are not so many. No items make one page. */
export function pageOf(asked: number | undefined, total: number, size: number): Page {
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(Math.max(1, asked ?? 1), pages);
  return { page, pages, offset: (page - 1) * size };
}

/**
 * Buttons to the first, previous, next and last page, labelled by where they lead. One that leads
 * where another one does already is left out, for no platform takes two buttons with the same data.
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

/** Rows without those that have no button. */
export function buttonRows(...rows: readonly (readonly Action[])[]): (readonly Action[])[] {
  return rows.filter((row) => row.length > 0);
}
