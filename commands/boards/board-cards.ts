import {
  type Action,
  type Block,
  type Call,
  type Card,
  type CardEntry,
  EMBLEMS,
  type Menu,
} from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import {
  buttonRows,
  footerOf,
  linkButton,
  pageButtons,
  privacyButton,
  privateCard,
  statistics,
} from '#commands/shared/card-parts';
import type { BoardMeasure, MemberBoardPage, MemberRow } from '#gating';
import {
  daysOfPeriod,
  type LeaderboardEntry,
  type Page,
  PERIOD_CODES,
  type PeriodCode,
  type Tier,
} from '#reputation';
import { CHAIN_CODES, type Chain, type ChainCode, chainOfCode } from '#wallet';

/** Rows per page. */
export const PAGE_SIZE = 10;
export const CHAIN_CHOICES = ['all', ...CHAIN_CODES] as const;
/** By rank. */
const MEDALS = ['🥇', '🥈', '🥉'];
/** How many may have a medal: a tie of more has none. */
const MEDALS_MAX = 5;
/** Marks the requested wallet, or the caller. */
export const MARK = '▸ ';

/** Which board: all that's in its buttons, apart from the page. */
export interface BoardChoice {
  readonly code: (typeof CHAIN_CHOICES)[number];
  readonly board: 'here' | 'me' | undefined;
  readonly period: PeriodCode | undefined;
}

/** How many of a page's first entries have a medal. */
function medalsIn(
  entries: readonly { readonly rank: number }[],
  { offset }: Pick<Page, 'offset'>,
): number {
  if (offset > 0) return 0;
  const upTo = MEDALS.map((_, i) => entries.filter(({ rank }) => rank <= i + 1).length);
  return Math.max(0, ...upTo.filter((count) => count <= MEDALS_MAX));
}

function medalEntry(
  rank: number,
  name: CardEntry['title'],
  shown: string,
  tier: Tier | undefined,
): CardEntry {
  const points = ` · ${shown}${tier === undefined ? '' : ` ${EMBLEMS[tier]}`}`;
  return { title: [`${MEDALS[rank - 1]} `, ...name, points], detail: [] };
}

/** Columns of ranks, names, points and emblems. */
const COLUMNS = [
  { align: 'right' },
  { align: 'left', shrinks: true },
  { align: 'right' },
  { align: 'left' },
] as const;

/** Wallets on a page: the best with medals, and names that aren't truncated to a column. */
export function walletBlocks<Entry extends LeaderboardEntry>(
  entries: readonly Entry[],
  page: Page,
  pointsOf: (entry: Entry) => string,
  { number }: Texts,
  marked?: string,
): readonly Block[] {
  const medals = medalsIn(entries, page);
  const nameOf = ({ address, displayName }: Entry) =>
    (address === marked ? MARK : '') + displayName;
  const best = entries
    .slice(0, medals)
    .map((each) => medalEntry(each.rank, [{ bold: nameOf(each) }], pointsOf(each), each.tier));
  const rows = entries
    .slice(medals)
    .map((each) => [number(each.rank), nameOf(each), pointsOf(each), EMBLEMS[each.tier]]);
  return [
    ...(best.length > 0 ? [{ kind: 'entries' as const, entries: best }] : []),
    ...(rows.length > 0 ? [{ kind: 'table' as const, columns: COLUMNS, rows }] : []),
  ];
}

/** The first page of a board. */
export function boardCall({ code, board, period }: BoardChoice): Call {
  return {
    command: 'top',
    args: {
      ...(code !== 'all' && { chain: code }),
      ...(board !== undefined && { board }),
      ...(period !== undefined && { period }),
    },
  };
}

/** The title, with the chain and the period. */
export function boardTitle({ code, board, period }: BoardChoice, texts: Texts): string {
  const { top } = texts;
  const chain = chainName(code, texts);
  const all = code === 'all' ? top.title : top.titleOf(chain);
  const members = board === 'me' ? top.meTitle : top.hereTitle;
  const here = code === 'all' ? members : `${members} · ${chain}`;
  const title = board === undefined ? all : here;
  return period === undefined ? title : top.gained(title, texts.number(daysOfPeriod(period)));
}

/** Buttons to the other boards: by period where the source can tell, of members in a community. */
export function otherBoards(context: CommandContext, choice: BoardChoice): Action[] {
  const { source, caller, texts } = context;
  const { top } = texts;
  const to = (label: string, change: Partial<BoardChoice>): Action => ({
    label,
    call: boardCall({ ...choice, ...change }),
  });
  const periods = source.gainers === undefined ? [] : PERIOD_CODES;
  const isHere = choice.board !== undefined;
  return [
    ...(choice.period === undefined ? [] : [to(top.everything, { period: undefined })]),
    ...periods
      .filter((period) => period !== choice.period)
      .map((period) => to(top.periods[period], { period })),
    ...(isHere ? [to(top.everywhere, { board: undefined })] : []),
    ...(!isHere && caller.community !== undefined ? [to(top.hereButton, { board: 'here' })] : []),
  ];
}

/** For the end of a row of buttons. */
export function lastButton(context: CommandContext, choice: BoardChoice): Action {
  const { texts } = context;
  if (choice.board === undefined) return statistics(texts);
  return { label: texts.top.meButton, call: boardCall({ ...choice, board: 'me' }) };
}

export function chainMenu(choice: BoardChoice, texts: Texts): Menu {
  return {
    placeholder: texts.top.menu(chainName(choice.code, texts)),
    choices: CHAIN_CHOICES.map((code) => ({
      label: chainName(code, texts),
      detail: code === 'all' ? texts.top.menuAll : texts.top.menuOf(chainName(code, texts)),
      call: boardCall({ ...choice, code }),
    })),
  };
}

export function chainName(code: string, texts: Texts): string {
  return code === 'all' ? texts.allChains : texts.chains[chainOfCode(code as ChainCode)];
}

export function filterOf(code: string): Chain | 'all' {
  return code === 'all' ? 'all' : chainOfCode(code as ChainCode);
}

/** A board without rows, which may be because nothing is known yet. */
export function noteBlocks(...sentences: readonly string[]): Card['blocks'] {
  return sentences.map((sentence) => ({ kind: 'text', spans: [sentence] }));
}

/** The members of the caller's community who show themselves there. */
export async function hereCard(
  context: CommandContext,
  choice: BoardChoice,
  asked: number | undefined,
): Promise<Card> {
  const { board, source, texts } = context;
  const { top } = texts;
  const measure = await measureOf(choice, context);
  const found = await board.page(measure, source, { page: asked, size: PAGE_SIZE });
  const { rows, page, total, hidden, knowsAll, unsure, tells } = found;
  const gainedNote =
    measure.days === undefined ? [] : [top.gainedAbout(texts.number(measure.days))];
  const none = measure.days === undefined ? top.hereNone : top.hereNoneGained;
  const blocks =
    total === 0
      ? noteBlocks(...(tells ? [none, top.hereNext] : unknownMembers(context)))
      : [...noteBlocks(...gainedNote), ...rowBlocks(rows, found, context, choice)];
  const own = ownLine(context, found);
  const doubt =
    unsure === 0 ? [] : [top.unsure(unsure, texts.number(unsure)), ...adminNeeded(context)];
  const counts = [
    ...(tells ? [top.members(total, texts.number(total))] : []),
    ...(hidden === 0 ? [] : [top.hidden(hidden, texts.number(hidden))]),
  ].join(' · ');
  return {
    tone: 'plain',
    title: boardTitle(choice, texts),
    blocks: [...blocks, ...own, ...noteBlocks(...doubt, ...(knowsAll ? [] : [top.partlyKnown]))],
    actions: buttonRows(pageButtons(page, boardCall(choice), texts.number), [
      ...otherBoards(context, choice),
      lastButton(context, choice),
    ]),
    menu: chainMenu(choice, texts),
    footer: [
      ...(counts.length === 0
        ? footerOf(context, page)
        : [counts, ...after(footerOf(context, page))]),
    ],
    private: false,
  };
}

/** The caller's own place among the members, whether or not they show themselves. */
export async function meCard(context: CommandContext, choice: BoardChoice): Promise<Card> {
  const { board, source, texts, links } = context;
  const { top } = texts;
  const place = await board.place(await links.wallets(), await measureOf(choice, context), source);
  const title = boardTitle(choice, texts);
  if (place === undefined) {
    return privateCard(title, noteBlocks(top.meNone), [[linkButton(texts)]]);
  }
  const { rank, points, others, isShown, tells } = place;
  if (!tells) return privateCard(title, noteBlocks(...unknownMembers(context)), []);
  const shown = texts.points(points, texts.number(points));
  const sentence = isShown ? top.meShown : top.meHidden;
  const blocks = noteBlocks(sentence(texts.number(rank), texts.number(others + 1), shown));
  return {
    ...privateCard(title, blocks, [[privacyButton(texts)]]),
    footer: footerOf(context),
  };
}

/** Said where nobody answers who is a member: that isn't nobody. */
function unknownMembers(context: CommandContext): readonly string[] {
  return [context.texts.top.hereUnknown, ...adminNeeded(context)];
}

/** Telegram may tell nobody else who is a member. */
function adminNeeded({ texts, grants }: CommandContext): readonly string[] {
  return grants === 'entry' ? [texts.top.needsAdmin] : [];
}

async function measureOf(
  { code, period }: BoardChoice,
  { thresholds, walletMode }: CommandContext,
): Promise<BoardMeasure> {
  const chain = filterOf(code);
  return {
    ...{ thresholds, mode: await walletMode(), days: period && daysOfPeriod(period) },
    chain: chain === 'all' ? undefined : chain,
  };
}

function rowBlocks(
  rows: readonly MemberRow[],
  { page }: MemberBoardPage,
  context: CommandContext,
  { period }: BoardChoice,
): Card['blocks'] {
  const { texts, caller } = context;
  const medals = medalsIn(rows, page);
  const entries = rows.map(({ rank, account, points, tier }, i): CardEntry => {
    const mark = account === caller.id ? [MARK] : [];
    const name = [...mark, { member: account }];
    const gained = period === undefined ? '' : '+';
    const shown = `${gained}${texts.number(points)}`;
    if (i < medals) return medalEntry(rank, name, shown, tier);
    const emblem = tier === undefined ? '' : ` ${EMBLEMS[tier]}`;
    return { title: [`${texts.number(rank)}. `, ...name, ` · ${shown}${emblem}`], detail: [] };
  });
  return [{ kind: 'entries', entries }];
}

/** Where the caller is, if they show themselves and aren't on this page. */
function ownLine({ texts }: CommandContext, { rows, own }: MemberBoardPage): Card['blocks'] {
  if (own === undefined || rows.some(({ account }) => account === own.account)) return [];
  const points = texts.points(own.points, texts.number(own.points));
  const words = texts.top.rank(texts.number(own.rank), points);
  return [{ kind: 'text', spans: [MARK, { member: own.account }, `: ${words}`] }];
}

function after(spans: Card['footer']): Card['footer'] {
  const [first, ...rest] = spans;
  if (first === undefined) return [];
  return typeof first === 'string' ? [` · ${first}`, ...rest] : [' · ', first, ...rest];
}
