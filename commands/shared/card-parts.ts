import { parseTime } from '#base';
import type { Action, Block, Call, Card, Span } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import type { BadgeTier, ChainEvent, EarnedBadge, Page } from '#reputation';
import type { Wallet } from '#wallet';

/**
 * The footer: the page, if there are several, and the time of the data. Create it after fetching
 * the data, which determines its age.
 * @param changedAt when the shown record changed, for sources that don't know the time of their
 *   data
 */
export function footerOf(
  { source, texts, now }: CommandContext,
  page?: Page,
  changedAt?: string,
): Span[] {
  const spans: Span[] = [];
  if (source.isPartial === true) spans.push(`⚠ ${texts.partial}`);
  if (page !== undefined && page.pages > 1) {
    const shown = texts.page(texts.number(page.page), texts.number(page.pages));
    spans.push(spans.length > 0 ? ` · ${shown}` : shown);
  }
  if (source.isStale) {
    const confirmed = { time: now - source.ageSeconds, style: 'clock' } as const;
    spans.push(`${spans.length > 0 ? ' · ' : ''}⚠ ${texts.staleAsOf} `, confirmed);
    spans.push(`, ${texts.staleWhy}`);
    return spans;
  }
  const time = source.asOf ?? (changedAt === undefined ? undefined : parseTime(changedAt));
  if (time !== undefined) {
    spans.push(`${spans.length > 0 ? ' · ' : ''}${texts.dataAsOf} `, { time, style: 'clock' });
  }
  return spans;
}

/** Formats a record's time; returns it unchanged if it isn't a valid time. */
export function timeSpan(text: string, style: 'relative' | 'date'): Span {
  const time = parseTime(text);
  return time === undefined ? text : { time, style };
}

/** A line with the wallet's display name, if it has one. Titles never contain user text. */
export function nameBlocks(name: string | undefined): Block[] {
  return name === undefined ? [] : [{ kind: 'text', spans: [{ bold: name }] }];
}

/** The same before an address. */
export function nameSpans(name: string | undefined): Span[] {
  return name === undefined ? [] : [{ bold: name }, ' '];
}

/** A link to what an activity was given for, for the end of a line; empty where there's none. */
export function explorerLink(
  event: ChainEvent | undefined,
  { explorers, texts }: Pick<CommandContext, 'explorers' | 'texts'>,
): Span[] {
  if (event === undefined) return [];
  const url = explorers.event(event);
  if (url === undefined) return [];
  const { explorer } = texts;
  const link = event.vote === undefined ? explorer.transaction : explorer.proposal;
  return [' · ', { link, url }];
}

/** Colours commonly used for rarities in games. */
const MARKS: Readonly<Record<BadgeTier, string>> = {
  Common: '⬜',
  Uncommon: '🟩',
  Rare: '🟦',
  Epic: '🟪',
  Legendary: '🟨',
};

/** Marks a soulbound badge. */
export const SOULBOUND_MARK = '🔒';

/** The marks around a badge's name: its rarity, and whether it's soulbound. */
export function marksOf(badge: EarnedBadge): { readonly before: string; readonly after: string } {
  return { before: `${MARKS[badge.tier]} `, after: badge.soulbound ? ` ${SOULBOUND_MARK}` : '' };
}

/** Shown before the first import, or the first score from a chain: the first thing a new operator reads. */
export function emptyBlocks({
  source,
  texts: { empty },
}: Pick<CommandContext, 'source' | 'texts'>): Block[] {
  if (source.isPartial === true) {
    return [
      { kind: 'text', spans: [empty.reading] },
      { kind: 'text', spans: [empty.meanwhile] },
    ];
  }
  return [
    { kind: 'text', spans: [empty.about] },
    { kind: 'text', spans: [`${empty.next} `, { code: 'npm run fathom -- import FILE' }] },
    { kind: 'text', spans: [empty.soon] },
  ];
}

/** The card for a valid address without activity, which is not a score of 0. */
export async function neverSeen(context: CommandContext, wallet: Wallet): Promise<Card> {
  const { texts } = context;
  const isEmpty = (await context.source.stats()).totalUsers === 0;
  return {
    tone: 'plain',
    title: texts.neverSeen.title,
    blocks: [
      { kind: 'text', spans: [{ code: wallet.address }] },
      ...(isEmpty ? emptyBlocks(context) : neverBlocks(texts)),
    ],
    actions: [[leaderboard(texts)]],
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}

function neverBlocks(texts: Texts): Block[] {
  return [
    { kind: 'text', spans: [texts.neverSeen.about] },
    { kind: 'text', spans: [texts.neverSeen.next] },
  ];
}

/** A private card about the caller. */
export function privateCard(
  title: string,
  blocks: readonly Block[],
  actions: Card['actions'],
): Card {
  return { tone: 'plain', title, blocks, actions, menu: undefined, footer: [], private: true };
}

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
