import type { Action, Call } from '#command';
import type { Texts } from '#command/texts';
import type { Page } from '#reputation';

/** A button that runs a command. */
type Button = Extract<Action, { readonly call: Call }>;

/** Buttons between commands, each with one label everywhere. */

export function reputationOf(address: string, texts: Texts): Button {
  return { label: texts.buttons.reputation, call: { command: 'rep', args: { wallet: address } } };
}

export function badgesOf(address: string, texts: Texts): Button {
  return { label: texts.buttons.badges, call: { command: 'badges', args: { wallet: address } } };
}

export function activityOf(address: string, texts: Texts): Button {
  return {
    label: texts.buttons.activity,
    call: { command: 'activity', args: { wallet: address } },
  };
}

export function whyOf(address: string, texts: Texts): Button {
  return { label: texts.buttons.why, call: { command: 'why', args: { wallet: address } } };
}

/** The same for the caller's own wallets. */
export function whyButton(texts: Texts): Button {
  return { label: texts.buttons.why, call: { command: 'why', args: {} } };
}

/** The leaderboard page with the wallet. */
export function placeOf(address: string, texts: Texts): Button {
  return { label: texts.buttons.place, call: { command: 'top', args: { wallet: address } } };
}

export function leaderboard(texts: Texts): Button {
  return { label: texts.buttons.leaderboard, call: { command: 'top', args: {} } };
}

export function statistics(texts: Texts): Button {
  return { label: texts.buttons.stats, call: { command: 'stats', args: {} } };
}

export function walletsButton(texts: Texts): Button {
  return { label: texts.buttons.wallets, call: { command: 'wallets', args: {} } };
}

export function privacyButton(texts: Texts): Button {
  return { label: texts.buttons.privacy, call: { command: 'privacy', args: {} } };
}

export function linkButton(texts: Texts): Button {
  return { label: texts.wallets.linkButton, call: { command: 'link', args: {} } };
}

export function helpButton(texts: Texts): Button {
  return { label: texts.buttons.help, call: { command: 'help', args: {} } };
}

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
