import { type Block, type Card, type CardEntry, rankText, tierLabel, tierProgress } from '#command';
import { byRarity, type EarnedBadge, type Reputation } from '#reputation';
import { CHAIN_CODES, type ChainCode, chainOfCode, requireChain, type Wallet } from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import { activityOf, badgesOf, placeOf, whyOf } from './shared/calls.ts';
import { footerOf } from './shared/footer.ts';
import { ofLinked } from './shared/linked.ts';
import { nameSpans } from './shared/name.ts';
import { neverSeen } from './shared/never-seen.ts';
import { marksOf } from './shared/rarity.ts';
import { severalWallets } from './shared/several-wallets.ts';

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
  private: false,
  async run(context, { wallet, chain, member }) {
    if (wallet === undefined) {
      const whose = { member, chain: chain && chainOfCode(chain), command: 'rep' } as const;
      return await ofLinked(context, whose, {
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

function progress({ texts, thresholds }: CommandContext, { score, tier }: Reputation): Block[] {
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
