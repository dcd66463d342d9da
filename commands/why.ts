import type { Block, Card, CardEntry, Span } from '#command';
import type { Texts } from '#command/texts';
import type { Activity, Breakdown, ChainEvent, RuleShare } from '#reputation';
import { activityIn } from '#scoring';
import { shortAddress, type Wallet } from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import {
  activityOf,
  badgesOf,
  explorerLink,
  footerOf,
  nameBlocks,
  neverSeen,
  reputationOf,
  timeSpan,
} from './shared/card-parts.ts';
import { chooseWalletCard, linkedWalletCard } from './shared/linked.ts';

/** Those that moved the score most; a card has room for no more with their words. */
const RULES_SHOWN = 6;
const EVIDENCE_SHOWN = 3;
/** Characters of a rule in words: one may name many contracts. */
const TITLE_MAX = 180;

/** Where a wallet's score comes from: points by rule, what was held back, and what was imported. */
export const why = defineCommand({
  name: 'why',
  letter: 'y',
  about: (texts) => texts.commands.why.about,
  options: [
    {
      kind: 'wallet',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.why.options.wallet,
    },
    {
      kind: 'member',
      name: 'member',
      required: false,
      about: (texts) => texts.commands.why.options.member,
    },
  ],
  private: false,
  async run(context, { wallet, member }) {
    if (wallet !== undefined) return await ofWallet(context, wallet);
    return await linkedWalletCard(
      context,
      { member, command: 'why' },
      {
        one: (only) => ofWallet(context, only),
        several: (wallets) => chooseWalletCard(context, 'why', wallets),
      },
    );
  },
});

async function ofWallet(context: CommandContext, wallet: Wallet): Promise<Card> {
  const { source, texts } = context;
  const [breakdown, list, name] = await Promise.all([
    source.breakdown(wallet, texts.language),
    source.activity(wallet, EVIDENCE_SHOWN),
    source.nameOf(wallet),
  ]);
  if (breakdown === undefined) return neverSeen(context, wallet);
  const { address, rules } = breakdown;
  const activities = list?.activities ?? [];
  const events = await source.chainEvents(wallet, activities);
  return {
    tone: 'plain',
    title: texts.whyScore.title(shortAddress(address)),
    blocks: [
      ...nameBlocks(name),
      figures(breakdown, texts),
      ...notes(breakdown, texts),
      ...ruleBlocks(rules, texts),
      ...evidenceBlocks(activities, events, context),
    ],
    actions: [[reputationOf(address, texts), activityOf(address, texts), badgesOf(address, texts)]],
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}

function figures({ score, rules, imported }: Breakdown, texts: Texts): Block {
  const given = rules.reduce((sum, { points }) => sum + points, 0);
  const words = texts.whyScore;
  return {
    kind: 'facts',
    facts: [
      { label: texts.rep.score, value: [{ bold: texts.number(score) }] },
      { label: words.byRules, value: [texts.signed(given)] },
      { label: words.imported, value: [texts.signed(imported.points)] },
    ],
  };
}

function notes({ rules, imported, asOf }: Breakdown, texts: Texts): Block[] {
  const words = texts.whyScore;
  const sum = rules.reduce((all, { points }) => all + points, imported.points);
  const sentences: Span[][] = [];
  if (asOf === null) sentences.push([{ italic: words.noRules }]);
  else if (rules.length === 0) sentences.push([{ italic: words.nothingGiven }]);
  if (sum < 0) sentences.push([{ italic: words.floored(texts.signed(sum)) }]);
  return sentences.map((spans) => ({ kind: 'text', spans }));
}

function ruleBlocks(rules: readonly RuleShare[], texts: Texts): Block[] {
  if (rules.length === 0) return [];
  const words = texts.whyScore;
  const ordered = rules.toSorted((one, other) => Math.abs(other.points) - Math.abs(one.points));
  // A line that speaks of a single other one takes as much room as that one.
  const shown = ordered.length === RULES_SHOWN + 1 ? ordered.length : RULES_SHOWN;
  const entries = ordered.slice(0, shown).map((each) => ruleEntry(each, texts));
  const others = ordered.slice(shown);
  if (others.length > 0) {
    const points = others.reduce((sum, each) => sum + each.points, 0);
    const title = words.otherRules(others.length, texts.number(others.length));
    entries.push({ title: [{ bold: texts.signed(points) }, ` ${title}`], detail: [] });
  }
  return [
    { kind: 'heading', text: words.rules },
    { kind: 'entries', entries },
  ];
}

function ruleEntry(rule: RuleShare, texts: Texts): CardEntry {
  const words = texts.whyScore;
  const { number } = texts;
  const held = [
    ...(rule.capped > 0 ? [words.capped(number(rule.capped))] : []),
    ...(rule.discounted > 0 ? [words.discounted(number(rule.discounted))] : []),
    ...(rule.decayed > 0 ? [words.decayed(number(rule.decayed))] : []),
  ];
  const said = rule.words ?? rule.title;
  return {
    title: [{ bold: texts.signed(rule.points) }, ` ${rule.called ?? rule.id}`],
    detail: [
      `${words.counted[rule.counts ?? 'times'](rule.count, number(rule.count))}, ${words.newest} `,
      timeSpan(rule.newest, 'relative'),
      ...[...held, shortened(said)].map((each) => ` · ${each}`),
    ],
  };
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= TITLE_MAX ? text : `${characters.slice(0, TITLE_MAX - 1).join('')}…`;
}

function evidenceBlocks(
  activities: readonly Activity[],
  events: ReadonlyMap<string, ChainEvent>,
  context: CommandContext,
): Block[] {
  const { texts } = context;
  if (activities.length === 0) return [];
  const entries = activities.map(
    ({ id, points, description, type, timestamp }): CardEntry => ({
      title: [
        { bold: texts.signed(points) },
        ` ${shortened(activityIn({ type, description }, texts))}`,
      ],
      detail: [timeSpan(timestamp, 'relative'), ...explorerLink(events.get(id), context)],
    }),
  );
  return [
    { kind: 'heading', text: texts.whyScore.evidence },
    { kind: 'entries', entries, folded: true },
  ];
}
