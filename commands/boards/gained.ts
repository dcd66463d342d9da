import type { Block, Card } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import { buttonRows, pageButtons } from '#commands/shared/buttons';
import { footerOf } from '#commands/shared/card-parts';
import { daysOfPeriod, type GainersPage, type Page, type PeriodCode, readPage } from '#reputation';
import {
  type BoardChoice,
  boardCall,
  boardTitle,
  chainMenu,
  filterOf,
  lastButton,
  noteBlocks,
  otherBoards,
  PAGE_SIZE,
  walletBlocks,
} from './parts.ts';

/** The wallets that gained most in some days. */
export async function gainedCard(
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
