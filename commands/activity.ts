import type { Block, Card, CardEntry } from '#command';
import type { Texts } from '#command/texts';
import { type Activity, type ActivityList, type ChainEvent, type Page, pageOf } from '#reputation';
import { activityIn, activityTypeIn } from '#scoring';
import { shortAddress, type Wallet } from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import {
  activityOf,
  badgesOf,
  buttonRows,
  explorerLink,
  footerOf,
  nameBlocks,
  neverSeen,
  pageButtons,
  reputationOf,
  timeSpan,
} from './shared/card-parts.ts';
import { chooseWalletCard, linkedWalletCard } from './shared/linked.ts';

const PAGE_SIZE = 8;
/** Sources return at most this many, the newest. */
const MOST = 200;

/** A wallet's activity, newest first. */
export const activity = defineCommand({
  name: 'activity',
  letter: 'a',
  about: (texts) => texts.commands.activity.about,
  options: [
    {
      kind: 'wallet',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.activity.options.wallet,
    },
    {
      kind: 'integer',
      name: 'page',
      required: false,
      about: (texts) => texts.commands.activity.options.page,
      least: 1,
      most: 9_999,
    },
    {
      kind: 'member',
      name: 'member',
      required: false,
      about: (texts) => texts.commands.activity.options.member,
    },
  ],
  private: false,
  async run(context, { wallet, page, member }) {
    if (wallet !== undefined) return await ofWallet(context, wallet, page);
    return await linkedWalletCard(
      context,
      { member, command: 'activity' },
      {
        one: (only) => ofWallet(context, only, page),
        several: (wallets) => chooseWalletCard(context, 'activity', wallets),
      },
    );
  },
});

async function ofWallet(
  context: CommandContext,
  wallet: Wallet,
  page: number | undefined,
): Promise<Card> {
  const needed = Math.min(MOST, (page ?? 1) * PAGE_SIZE);
  const [list, name] = await Promise.all([
    context.source.activity(wallet, needed),
    context.source.nameOf(wallet),
  ]);
  if (list === undefined) return neverSeen(context, wallet);
  const shownPage = pageOf(page, Math.min(MOST, list.total), PAGE_SIZE);
  const shown = list.activities.slice(shownPage.offset, shownPage.offset + PAGE_SIZE);
  const events = await context.source.chainEvents(wallet, shown);
  const entries = shown.map((each) => entryOf(each, events.get(each.id), context));
  return listed(context, name, list, shownPage, entries);
}

function listed(
  context: CommandContext,
  name: string | undefined,
  list: ActivityList,
  page: Page,
  entries: readonly CardEntry[],
): Card {
  const { texts } = context;
  const total = texts.number(list.total);
  return {
    tone: 'plain',
    title: texts.activity.title(shortAddress(list.address)),
    blocks: [
      ...nameBlocks(name),
      { kind: 'text', spans: [texts.activity.total(list.total, total)] },
      { kind: 'entries', entries },
      ...endOf(list.total, page, texts),
    ],
    actions: buttonRows(pageButtons(page, activityOf(list.address, texts).call, texts.number), [
      reputationOf(list.address, texts),
      badgesOf(list.address, texts),
    ]),
    menu: undefined,
    footer: footerOf(context, page),
    private: false,
  };
}

function endOf(total: number, { page, pages }: Page, texts: Texts): Block[] {
  if (total <= MOST || page < pages) return [];
  const words = texts.activity.onlyNewest(texts.number(MOST), texts.number(total));
  return [{ kind: 'text', spans: [{ italic: words }] }];
}

function entryOf(
  activity: Activity,
  event: ChainEvent | undefined,
  context: CommandContext,
): CardEntry {
  const { texts } = context;
  return {
    title: [{ bold: texts.signed(activity.points) }, ` ${activityIn(activity, texts)}`],
    detail: [
      `${activityTypeIn(activity.type, texts)} · `,
      timeSpan(activity.timestamp, 'relative'),
      ...explorerLink(event, context),
    ],
  };
}
