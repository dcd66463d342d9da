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
import { statistics } from '#commands/shared/buttons';
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
export function medalsIn(
  entries: readonly { readonly rank: number }[],
  { offset }: Pick<Page, 'offset'>,
): number {
  if (offset > 0) return 0;
  const upTo = MEDALS.map((_, i) => entries.filter(({ rank }) => rank <= i + 1).length);
  return Math.max(0, ...upTo.filter((count) => count <= MEDALS_MAX));
}

export function medalEntry(
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
