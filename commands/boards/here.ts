import { type Card, type CardEntry, EMBLEMS } from '#command';
import type { CommandContext } from '#commands/answering/command';
import { buttonRows, linkButton, pageButtons, privacyButton } from '#commands/shared/buttons';
import { footerOf, privateCard } from '#commands/shared/card-parts';
import type { BoardMeasure, MemberBoardPage, MemberRow } from '#gating';
import { daysOfPeriod } from '#reputation';
import {
  type BoardChoice,
  boardCall,
  boardTitle,
  chainMenu,
  filterOf,
  lastButton,
  MARK,
  medalEntry,
  medalsIn,
  noteBlocks,
  otherBoards,
  PAGE_SIZE,
} from './parts.ts';

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
  const about = measure.days === undefined ? [] : [top.gainedAbout(texts.number(measure.days))];
  const none = measure.days === undefined ? top.hereNone : top.hereNoneGained;
  const blocks =
    total === 0
      ? noteBlocks(...(tells ? [none, top.hereNext] : unknownMembers(context)))
      : [...noteBlocks(...about), ...rowBlocks(rows, found, context, choice)];
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
