import { type Block, type Card, EMBLEMS } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import { buttonRows, pageButtons } from '#commands/shared/buttons';
import { footerOf } from '#commands/shared/card-parts';
import { type Gainer, type GainersPage, type Page, pageOf } from '#reputation';
import {
  type BoardChoice,
  boardCall,
  boardTitle,
  chainMenu,
  filterOf,
  lastButton,
  medalEntry,
  medalsIn,
  noteBlocks,
  otherBoards,
  PAGE_SIZE,
  type Period,
  periodDays,
} from './parts.ts';

/** The wallets that gained most in some days. */
export async function gainedCard(
  context: CommandContext,
  choice: BoardChoice & { readonly period: Period },
  asked = 1,
): Promise<Card> {
  const { source, texts } = context;
  const { top } = texts;
  const base = { chain: filterOf(choice.code), days: periodDays(choice.period), limit: PAGE_SIZE };
  const read = async (offset: number) => await source.gainers?.({ ...base, offset });
  const first = await read((asked - 1) * PAGE_SIZE);
  const page = pageOf(asked, first?.total ?? 0, PAGE_SIZE);
  const found = page.page === asked ? first : await read(page.offset);
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
  const medals = medalsIn(gainers, page);
  const shownOf = ({ gained }: Gainer) => `+${texts.number(gained)}`;
  const best = gainers
    .slice(0, medals)
    .map((each) => medalEntry(each.rank, [{ bold: each.displayName }], shownOf(each), each.tier));
  const rows = gainers
    .slice(medals)
    .map((each) => [texts.number(each.rank), each.displayName, shownOf(each), EMBLEMS[each.tier]]);
  return [
    ...(best.length > 0 ? [{ kind: 'entries' as const, entries: best }] : []),
    ...(rows.length > 0 ? [{ kind: 'table' as const, columns: COLUMNS, rows }] : []),
  ];
}

/** Of ranks, names, points and emblems. */
export const COLUMNS = [
  { align: 'right' },
  { align: 'left', shrinks: true },
  { align: 'right' },
  { align: 'left' },
] as const;
