import type { Card, CardEntry } from '#command';
import { byRarity, type EarnedBadge, pageOf } from '#reputation';
import { shortAddress, type Wallet } from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import {
  activityOf,
  badgesOf,
  buttonRows,
  footerOf,
  marksOf,
  nameBlocks,
  neverSeen,
  pageButtons,
  reputationOf,
  SOULBOUND_MARK,
  timeSpan,
} from './shared/card-parts.ts';
import { chooseWalletCard, linkedWalletCard } from './shared/linked.ts';

const PAGE_SIZE = 6;

/** A wallet's badges, rarest first. */
export const badges = defineCommand({
  name: 'badges',
  letter: 'b',
  about: (texts) => texts.commands.badges.about,
  options: [
    {
      kind: 'wallet',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.badges.options.wallet,
    },
    {
      kind: 'integer',
      name: 'page',
      required: false,
      about: (texts) => texts.commands.badges.options.page,
      least: 1,
      most: 9_999,
    },
    {
      kind: 'member',
      name: 'member',
      required: false,
      about: (texts) => texts.commands.badges.options.member,
    },
  ],
  private: false,
  async run(context, { wallet, page, member }) {
    if (wallet !== undefined) return await ofWallet(context, wallet, page);
    return await linkedWalletCard(
      context,
      { member, command: 'badges' },
      {
        one: (only) => ofWallet(context, only, page),
        several: (wallets) => chooseWalletCard(context, 'badges', wallets),
      },
    );
  },
});

async function ofWallet(
  context: CommandContext,
  wallet: Wallet,
  page: number | undefined,
): Promise<Card> {
  const [list, name] = await Promise.all([
    context.source.badges(wallet),
    context.source.nameOf(wallet),
  ]);
  if (list === undefined) return neverSeen(context, wallet);
  return list.badges.length === 0
    ? noBadges(context, wallet, name)
    : listed(context, { wallet, name, all: byRarity(list.badges) }, page);
}

function noBadges(context: CommandContext, { address }: Wallet, name: string | undefined): Card {
  const { texts } = context;
  return {
    tone: 'plain',
    title: texts.badges.title(shortAddress(address)),
    blocks: [
      ...nameBlocks(name),
      { kind: 'text', spans: [texts.badges.none] },
      { kind: 'text', spans: [texts.badges.noneNext] },
    ],
    actions: [[activityOf(address, texts), reputationOf(address, texts)]],
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}

/** A wallet's badges. */
interface Earned {
  readonly wallet: Wallet;
  readonly name: string | undefined;
  readonly all: readonly EarnedBadge[];
}

function listed(
  context: CommandContext,
  { wallet, name, all }: Earned,
  asked: number | undefined,
): Card {
  const { texts } = context;
  const { address } = wallet;
  const page = pageOf(asked, all.length, PAGE_SIZE);
  const shown = all.slice(page.offset, page.offset + PAGE_SIZE);
  const legend = `${SOULBOUND_MARK} ${texts.badges.soulbound}`;
  return {
    tone: 'plain',
    title: `${texts.badges.title(shortAddress(address))} (${texts.number(all.length)})`,
    blocks: [
      ...nameBlocks(name),
      { kind: 'entries', entries: shown.map((badge) => entryOf(badge, context)) },
      ...(shown.some((badge) => badge.soulbound)
        ? [{ kind: 'text' as const, spans: [{ italic: legend }] }]
        : []),
    ],
    actions: buttonRows(pageButtons(page, badgesOf(address, texts).call, texts.number), [
      reputationOf(address, texts),
      activityOf(address, texts),
    ]),
    menu: undefined,
    footer: footerOf(context, page),
    private: false,
  };
}

function entryOf(badge: EarnedBadge, context: CommandContext): CardEntry {
  const { texts, caller, badgePictureOf } = context;
  const picture = badgePictureOf?.(badge, caller);
  const { before, after } = marksOf(badge);
  const description = badge.description === '' ? '' : ` · ${badge.description}`;
  return {
    title: [before, { bold: badge.name }, after],
    detail: [
      `${texts.rarities[badge.tier]} · `,
      timeSpan(badge.earnedAt, 'date'),
      ...(description === '' ? [] : [description]),
    ],
    ...(picture !== undefined && { picture }),
  };
}
