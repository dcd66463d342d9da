import { UserError } from '#base';
import type { Block, Card } from '#command';
import type { Texts } from '#command/texts';
import {
  daysOfPeriod,
  type GainersPage,
  type LeaderboardEntry,
  type Page,
  PERIOD_CODES,
  type PeriodCode,
  readPage,
} from '#reputation';
import { requireChain, type Wallet } from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import { type LeaderboardPlace, placeIn } from './answering/leaderboard-place.ts';
import {
  type BoardChoice,
  boardCall,
  boardTitle,
  CHAIN_CHOICES,
  chainMenu,
  chainName,
  filterOf,
  hereCard,
  lastButton,
  MARK,
  meCard,
  noteBlocks,
  otherBoards,
  PAGE_SIZE,
  walletBlocks,
} from './boards/board-cards.ts';
import {
  buttonRows,
  emptyBlocks,
  footerOf,
  neverSeen,
  pageButtons,
  reputationOf,
} from './shared/card-parts.ts';

/** What people type for the last days. */
const PERIOD_WORDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  PERIOD_CODES.map((code) => {
    const days = Number.parseInt(code, 10);
    const [one, other] = { 7: ['week', 'semana'], 30: ['month', 'mes'] }[days] ?? [];
    const spelt = [`${days} d`, `${days} days`, `${days} días`];
    return [
      code,
      [...spelt, `last ${days} days`, `últimos ${days} días`, one, other].filter(
        (it) => it !== undefined,
      ),
    ];
  }),
);

/** The leaderboard: of all chains or one, of wallets or members, of all time or the last days. */
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
      choices: CHAIN_CHOICES,
      label: chainName,
      also: { all: ['global'] },
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
    {
      kind: 'choice',
      name: 'board',
      required: false,
      about: (texts) => texts.commands.top.options.board,
      choices: ['here', 'me'],
      label: (choice, texts) => texts.top.boards[choice as 'here' | 'me'],
      also: { here: ['community', 'this community', 'comunidad', 'esta comunidad'] },
    },
    {
      kind: 'choice',
      name: 'period',
      required: false,
      about: (texts) => texts.commands.top.options.period,
      choices: PERIOD_CODES,
      label: (choice, texts) => texts.top.periodWords[choice as PeriodCode],
      also: PERIOD_WORDS,
    },
  ],
  private: false,
  async run(context, { chain: code = 'all', page, wallet, board, period }) {
    const choice: BoardChoice = { code, board, period };
    if (wallet === undefined) {
      if (period !== undefined && context.source.gainers === undefined) {
        return await gainedCard(context, { ...choice, period });
      }
      if (board === 'me') return await meCard(context, choice);
      if (board === 'here') return await hereCard(context, choice, page);
      if (period !== undefined) return await gainedCard(context, { ...choice, period }, page);
      return pageCard(context, choice, page, undefined);
    }
    if (board !== undefined || period !== undefined) {
      throw new UserError('wrong-usage', context.texts.top.notBoth);
    }
    const chain = filterOf(code);
    if (chain !== 'all') requireChain(wallet, chain);
    const record = await context.source.reputation(wallet);
    if (record === undefined) return neverSeen(context, wallet);
    const place = await placeIn(context.source, chain, record);
    const placed = place && Math.floor(place.offset / PAGE_SIZE) + 1;
    return pageCard(context, choice, placed ?? page, { wallet, place });
  },
});

/** The requested wallet and its position. */
interface Sought {
  readonly wallet: Wallet;
  readonly place: LeaderboardPlace | undefined;
}

async function pageCard(
  context: CommandContext,
  choice: BoardChoice,
  asked: number | undefined,
  sought: Sought | undefined,
): Promise<Card> {
  const { texts } = context;
  const { code } = choice;
  const { found, page } = await readPage(asked ?? 1, PAGE_SIZE, (offset) =>
    context.source.leaderboard({ chain: filterOf(code), limit: PAGE_SIZE, offset }),
  );
  const entries = found.leaderboard;
  return {
    tone: 'plain',
    title: boardTitle(choice, texts),
    blocks:
      entries.length === 0 ? noneBlocks(code, context) : rowBlocks(entries, page, sought, texts),
    actions: buttonRows(
      pageButtons(page, boardCall(choice), texts.number),
      sought === undefined ? [] : [reputationOf(sought.wallet.address, texts)],
      [...otherBoards(context, choice), lastButton(context, choice)],
    ),
    menu: chainMenu(choice, texts),
    footer: footerOf(context, page),
    private: false,
  };
}

function noneBlocks(code: string, context: CommandContext): Block[] {
  if (code === 'all') return emptyBlocks(context);
  const { texts } = context;
  return [
    { kind: 'text', spans: [texts.top.none] },
    { kind: 'text', spans: [texts.top.noneNext] },
  ];
}

function rowBlocks(
  entries: readonly LeaderboardEntry[],
  page: Page,
  sought: Sought | undefined,
  texts: Texts,
): readonly Block[] {
  const pointsOf = ({ score }: LeaderboardEntry) => texts.number(score);
  const blocks = walletBlocks(entries, page, pointsOf, texts, sought?.wallet.address);
  const found = sought?.place?.entry;
  if (found === undefined) return blocks;
  const points = texts.points(found.score, texts.number(found.score));
  const words = texts.top.placed(found.displayName, texts.number(found.rank), points);
  return [...blocks, { kind: 'text', spans: [{ bold: MARK + words }] }];
}

/** The wallets that gained most in some days. */
async function gainedCard(
  context: CommandContext,
  choice: BoardChoice & { readonly period: PeriodCode },
  asked = 1,
): Promise<Card> {
  const { source, texts } = context;
  const { top } = texts;
  const base = {
    chain: filterOf(choice.code),
    days: daysOfPeriod(choice.period),
    limit: PAGE_SIZE,
  };
  const { found, page } = await readPage(
    asked,
    PAGE_SIZE,
    async (offset) => await source.gainers?.({ ...base, offset }),
  );
  return {
    tone: 'plain',
    title: boardTitle(choice, texts),
    blocks:
      source.gainers === undefined
        ? noteBlocks(top.gainedUnknown)
        : [
            ...noteBlocks(top.gainedAbout(texts.number(base.days))),
            ...gainedBlocks(found, page, texts),
          ],
    actions: buttonRows(pageButtons(page, boardCall(choice), texts.number), [
      ...otherBoards(context, choice),
      lastButton(context, choice),
    ]),
    menu: source.gainers === undefined ? undefined : chainMenu(choice, texts),
    footer: footerOf(context, page),
    private: false,
  };
}

function gainedBlocks(found: GainersPage | undefined, page: Page, texts: Texts): readonly Block[] {
  const { top } = texts;
  if (found === undefined) return noteBlocks(top.counting);
  const { gainers } = found;
  if (gainers.length === 0) return noteBlocks(top.gainedNone);
  return walletBlocks(gainers, page, ({ gained }) => `+${texts.number(gained)}`, texts);
}
