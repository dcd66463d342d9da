import { type Block, type Card, type CardEntry, rankText, tierLabel, tierProgress } from '#command';
import type { Texts } from '#command/texts';
import { countWallets, knowsSums, ranksOf } from '#gating';
import { byRarity, type EarnedBadge, type Reputation, TIERS, type Tier } from '#reputation';
import {
  CHAIN_CODES,
  type ChainCode,
  chainOfCode,
  requireChain,
  shortAddress,
  type Wallet,
} from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import {
  activityOf,
  badgesOf,
  footerOf,
  marksOf,
  nameSpans,
  neverSeen,
  placeOf,
  reputationOf,
  whyOf,
} from './shared/card-parts.ts';
import { linkedWalletCard, WITH_BUTTON } from './shared/linked.ts';

const BADGES_SHOWN = 6;

/** A wallet's score, tier, rank and badges. */
export const rep = defineCommand({
  name: 'rep',
  letter: 'r',
  about: (texts) => texts.commands.rep.about,
  options: [
    {
      kind: 'wallet',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.rep.options.wallet,
    },
    {
      kind: 'choice',
      name: 'chain',
      required: false,
      about: (texts) => texts.commands.rep.options.chain,
      choices: CHAIN_CODES,
      label: (choice, texts) => texts.chains[chainOfCode(choice as ChainCode)],
    },
    {
      kind: 'member',
      name: 'member',
      required: false,
      about: (texts) => texts.commands.rep.options.member,
    },
  ],
  memberMenu: (texts) => texts.buttons.reputation,
  countsAsThere: true,
  private: false,
  async run(context, { wallet, chain, member }) {
    if (wallet === undefined) {
      const whose = { member, chain: chain && chainOfCode(chain), command: 'rep' } as const;
      return await linkedWalletCard(context, whose, {
        one: (only) => ofWallet(context, only),
        several: (wallets) => severalWallets(context, wallets),
      });
    }
    if (chain !== undefined) requireChain(wallet, chainOfCode(chain));
    return await ofWallet(context, wallet);
  },
});

async function ofWallet(context: CommandContext, wallet: Wallet): Promise<Card> {
  const [record, list, name] = await Promise.all([
    context.source.reputation(wallet),
    context.source.badges(wallet),
    context.source.nameOf(wallet),
  ]);
  if (record === undefined) return neverSeen(context, wallet);
  const badges = byRarity(list?.badges ?? []);
  const card = standing(context, name, record, badges);
  const { caller, pictureOf, source, texts } = context;
  if (pictureOf === undefined) return card;
  const { isStale, isPartial } = source;
  const { language } = texts;
  return {
    ...card,
    picture: pictureOf({ wallet, caller, language, record, badges, name, isStale, isPartial }),
  };
}

function standing(
  context: CommandContext,
  name: string | undefined,
  record: Reputation,
  badges: readonly EarnedBadge[],
): Card {
  const { texts } = context;
  const { number } = texts;
  const rank = rankText(record.rank, record.totalUsers, texts);
  return {
    tone: record.tier,
    title: texts.tiers[record.tier],
    blocks: [
      { kind: 'text', spans: [...nameSpans(name), { code: record.address }] },
      {
        kind: 'facts',
        facts: [
          { label: texts.rep.score, value: [{ bold: number(record.score) }] },
          { label: texts.rep.rank, value: [rank] },
          { label: texts.rep.chain, value: [texts.chains[record.chain]] },
        ],
      },
      ...progress(context, record),
      ...badgeBlocks(context, badges),
    ],
    actions: [
      [badgesOf(record.address, texts), activityOf(record.address, texts)],
      [whyOf(record.address, texts), placeOf(record.address, texts)],
    ],
    menu: undefined,
    footer: footerOf(context, undefined, record.lastUpdated),
    private: false,
  };
}

function progress(
  { texts, thresholds }: CommandContext,
  { score, tier }: Pick<Reputation, 'score' | 'tier'>,
): Block[] {
  const towards = tierProgress(score, tier, thresholds);
  if (towards === undefined) return [];
  if (towards.isHighest) return [{ kind: 'progress', fraction: 1, spans: [texts.rep.highest] }];
  const { next, missing, fraction } = towards;
  const words = texts.rep.toNext(missing, texts.number(missing), tierLabel(next, texts));
  return [{ kind: 'progress', fraction, spans: [words] }];
}

function badgeBlocks({ texts }: CommandContext, badges: readonly EarnedBadge[]): Block[] {
  if (badges.length === 0) return [{ kind: 'text', spans: [{ italic: texts.rep.noBadges }] }];
  const entries: CardEntry[] = badges.slice(0, BADGES_SHOWN).map((badge) => {
    const { before, after } = marksOf(badge);
    return { title: [before, badge.name, after], detail: [] };
  });
  const more = badges.length - entries.length;
  if (more > 0) entries.push({ title: [texts.rep.more(texts.number(more))], detail: [] });
  return [
    { kind: 'heading', text: texts.rep.badges(texts.number(badges.length)) },
    { kind: 'entries', entries },
  ];
}

/** An account's wallets, with their sum where a community adds them up; in the colour of their highest tier. */
async function severalWallets(context: CommandContext, wallets: readonly Wallet[]): Promise<Card> {
  const { source, texts } = context;
  const records = await Promise.all(wallets.map((wallet) => source.reputation(wallet)));
  const names = await Promise.all(wallets.map((wallet) => source.nameOf(wallet)));
  const entries = wallets.map((wallet, i) =>
    entryOf({ ...wallet, name: names[i] }, records[i], texts),
  );
  const best = TIERS.find((tier) => records.some((record) => record?.tier === tier));
  const sum = await sumOf(
    context,
    wallets.map((wallet, i) => ({ wallet, record: records[i] })),
  );
  const title = texts.rep.titleOf(texts.number(wallets.length));
  const buttons = wallets.slice(0, WITH_BUTTON).map(({ address }) => ({
    ...reputationOf(address, texts),
    label: shortAddress(address),
  }));
  return {
    tone: sum?.tier ?? best ?? 'plain',
    title: sum === undefined ? title : texts.tiers[sum.tier],
    blocks: [...(sum?.blocks ?? []), { kind: 'entries', entries }],
    actions: [buttons.slice(0, 5), buttons.slice(5)].filter((row) => row.length > 0),
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}

/** What the wallets have together; undefined where each counts by itself. */
async function sumOf(
  context: CommandContext,
  wallets: readonly { readonly wallet: Wallet; readonly record: Reputation | undefined }[],
): Promise<{ readonly tier: Tier; readonly blocks: readonly Block[] } | undefined> {
  const { source, texts, thresholds } = context;
  const mode = await context.walletMode();
  const [sum] = countWallets(wallets, { mode, thresholds });
  const record = sum?.isSum === true && knowsSums(wallets, thresholds) ? sum.record : undefined;
  if (record === undefined) return undefined;
  const { score, tier } = record;
  const rank = (await ranksOf(source, [score])).get(score);
  const total = wallets.find((each) => each.record !== undefined)?.record?.totalUsers ?? 0;
  const place =
    rank === undefined ? [] : [{ label: texts.rep.rank, value: [rankText(rank, total, texts)] }];
  const facts = [{ label: texts.rep.score, value: [{ bold: texts.number(score) }] }, ...place];
  const sumNote = texts.rep.sumOf(texts.number(wallets.length));
  return {
    tier,
    blocks: [
      { kind: 'text', spans: [sumNote] },
      { kind: 'facts', facts },
      ...progress(context, record),
    ],
  };
}

function entryOf(
  { chain, address, name }: Wallet & { readonly name: string | undefined },
  record: Reputation | undefined,
  texts: Texts,
): CardEntry {
  const { number } = texts;
  const title = [...nameSpans(name), { code: address }];
  if (record === undefined)
    return { title, detail: [texts.chains[chain], ' · ', texts.rep.unseen] };
  const { score, tier, rank, totalUsers } = record;
  const place = rankText(rank, totalUsers, texts);
  return {
    title,
    detail: [`${tierLabel(tier, texts)} · ${texts.points(score, number(score))} · ${place}`],
  };
}
