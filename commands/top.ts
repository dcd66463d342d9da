import { type Block, type Card, type CardEntry, EMBLEMS, type Menu } from '#command';
import type { Texts } from '#command/texts';
import { type LeaderboardEntry, type Page, pageOf } from '#reputation';
import {
  CHAIN_CODES,
  type Chain,
  type ChainCode,
  chainOfCode,
  requireChain,
  type Wallet,
} from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import { type LeaderboardPlace, placeIn } from './answering/leaderboard-place.ts';
import { buttonRows, pageButtons, reputationOf, statistics, topCall } from './shared/buttons.ts';
import { emptyBlocks, footerOf, neverSeen } from './shared/card-parts.ts';

const PAGE_SIZE = 10;
const CHOICES = ['all', ...CHAIN_CODES] as const;
/** By rank. */
const MEDALS = ['🥇', '🥈', '🥉'];
/** How many wallets may have a medal: a tie of more has none. */
const MEDALS_MAX = 5;
/** Marks the requested wallet. */
const MARK = '▸ ';

/** The leaderboard of all chains or one. */
export const top = defineCommand({
  name: 'top',
  letter: 't',
  about: (texts) => texts.commands.top.about,
  options: [
    {
      kind: 'choice',
      name: 'chain',
      required: false,
      about: (texts) => texts.commands.top.options.chain,
      choices: CHOICES,
      label: chainName,
    },
    {
      kind: 'integer',
      name: 'page',
      required: false,
      about: (texts) => texts.commands.top.options.page,
      least: 1,
      most: 9_999_999,
    },
    {
      kind: 'wallet',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.top.options.wallet,
    },
  ],
  private: false,
  async run(context, { chain: code = 'all', page, wallet }) {
    if (wallet === undefined) return pageCard(context, code, page, undefined);
    const chain = filterOf(code);
    if (chain !== 'all') requireChain(wallet, chain);
    const record = await context.source.reputation(wallet);
    if (record === undefined) return neverSeen(context, wallet);
    const place = await placeIn(context.source, chain, record);
    const placed = place && Math.floor(place.offset / PAGE_SIZE) + 1;
    return pageCard(context, code, placed ?? page, { wallet, place });
  },
});

/** The requested wallet and its position. */
interface Sought {
  readonly wallet: Wallet;
  readonly place: LeaderboardPlace | undefined;
}

async function pageCard(
  context: CommandContext,
  code: string,
  asked: number | undefined,
  sought: Sought | undefined,
): Promise<Card> {
  const { texts } = context;
  const { entries, page } = await entriesOf(context, filterOf(code), asked);
  const name = chainName(code, texts);
  return {
    tone: 'plain',
    title: code === 'all' ? texts.top.title : texts.top.titleOf(name),
    blocks:
      entries.length === 0
        ? noneBlocks(code, context)
        : rowBlocks(entries, medalsIn(entries, page), sought, texts),
    actions: buttonRows(pageButtons(page, topCall(code), texts.number), [
      ...(sought === undefined ? [] : [reputationOf(sought.wallet.address, texts)]),
      statistics(texts),
    ]),
    menu: chainMenu(name, texts),
    footer: footerOf(context, page),
    private: false,
  };
}

async function entriesOf(
  { source }: CommandContext,
  chain: Chain | 'all',
  asked = 1,
): Promise<{ readonly entries: readonly LeaderboardEntry[]; readonly page: Page }> {
  const limit = PAGE_SIZE;
  const first = await source.leaderboard({ chain, limit, offset: (asked - 1) * limit });
  const page = pageOf(asked, first.total, limit);
  if (page.page === asked) return { entries: first.leaderboard, page };
  const last = await source.leaderboard({ chain, limit, offset: page.offset });
  return { entries: last.leaderboard, page };
}

function noneBlocks(code: string, context: CommandContext): Block[] {
  if (code === 'all') return emptyBlocks(context);
  const { texts } = context;
  return [
    { kind: 'text', spans: [texts.top.none] },
    { kind: 'text', spans: [texts.top.noneNext] },
  ];
}

/** How many of a page's first entries have a medal. */
function medalsIn(entries: readonly LeaderboardEntry[], { offset }: Page): number {
  if (offset > 0) return 0;
  const upTo = MEDALS.map((_, i) => entries.filter(({ rank }) => rank <= i + 1).length);
  return Math.max(0, ...upTo.filter((count) => count <= MEDALS_MAX));
}

/** @param medals how many of them have one */
function rowBlocks(
  entries: readonly LeaderboardEntry[],
  medals: number,
  sought: Sought | undefined,
  texts: Texts,
): Block[] {
  const markOf = ({ address }: LeaderboardEntry) =>
    address === sought?.wallet.address ? MARK : '';
  const best = entries.slice(0, medals).map((entry) => bestEntry(entry, markOf(entry), texts));
  const rows = entries
    .slice(medals)
    .map((entry) => [
      texts.number(entry.rank),
      markOf(entry) + entry.displayName,
      texts.number(entry.score),
      EMBLEMS[entry.tier],
    ]);
  const table: Block = {
    kind: 'table',
    columns: [
      { align: 'right' },
      { align: 'left', shrinks: true },
      { align: 'right' },
      { align: 'left' },
    ],
    rows,
  };
  const blocks: Block[] = [
    ...(best.length > 0 ? [{ kind: 'entries' as const, entries: best }] : []),
    ...(rows.length > 0 ? [table] : []),
  ];
  const found = sought?.place?.entry;
  if (found === undefined) return blocks;
  const points = texts.points(found.score, texts.number(found.score));
  const words = texts.top.placed(found.displayName, texts.number(found.rank), points);
  return [...blocks, { kind: 'text', spans: [{ bold: MARK + words }] }];
}

/** Names of the best aren't truncated to a column. */
function bestEntry(entry: LeaderboardEntry, mark: string, texts: Texts): CardEntry {
  const { rank, displayName, score, tier } = entry;
  const points = ` · ${texts.number(score)} ${EMBLEMS[tier]}`;
  return { title: [`${MEDALS[rank - 1]} `, { bold: mark + displayName }, points], detail: [] };
}

function chainMenu(current: string, texts: Texts): Menu {
  return {
    placeholder: texts.top.menu(current),
    choices: CHOICES.map((code) => ({
      label: chainName(code, texts),
      detail: code === 'all' ? texts.top.menuAll : texts.top.menuOf(chainName(code, texts)),
      call: topCall(code),
    })),
  };
}

function chainName(code: string, texts: Texts): string {
  return code === 'all' ? texts.allChains : texts.chains[chainOfCode(code as ChainCode)];
}

function filterOf(code: string): Chain | 'all' {
  return code === 'all' ? 'all' : chainOfCode(code as ChainCode);
}
