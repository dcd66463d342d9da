import { EMBLEMS, type OptionSpec } from '#command';
import { LANGUAGES, type Texts, textsFor } from '#command/texts';
import { lowestScoreOf, TIERS, type Tier } from '#reputation';
import type { RequirementKind } from './kind.ts';

interface TierRequirement {
  readonly kind: 'tier';
  readonly tier: Tier;
}

interface TierShortfall {
  readonly kind: 'tier';
  readonly tier: Tier;
  /** Undefined where the source has thresholds of its own. */
  readonly points: number | undefined;
}

/** What keyboards offer for a tier besides its emblem. */
const LIKE_EMBLEMS: Partial<Readonly<Record<Tier, readonly string[]>>> = {
  Whale: ['🐳'],
  Shrimp: ['🍤'],
};

const option = {
  kind: 'choice',
  name: 'tier',
  required: false,
  about: (texts) => texts.commands.gate.options.tier,
  choices: TIERS.map((tier) => tier.toLowerCase()),
  label: (choice, texts) => texts.tiers[tierNamed(choice) ?? 'Shrimp'],
  // As cards show them, and lists of rules.
  also: tierWords(({ gate, tiers }, tier) => [
    gate.tier(tiers[tier]),
    `${tiers[tier]} ${gate.orMore}`,
  ]),
  isAtLeast: true,
  none: (texts) => texts.gate.noNeed,
} as const satisfies OptionSpec;

/** A tier, or a higher one. */
export const tierRequirement: RequirementKind<TierRequirement, TierShortfall, typeof option> = {
  option,
  read(value) {
    const tier = tierNamed(value);
    return tier && { kind: 'tier', tier };
  },
  isMet: ({ tier }, { record }) => TIERS.indexOf(record.tier) <= TIERS.indexOf(tier),
  isExcluded({ tier }, bound, thresholds) {
    if (bound.kind === 'below') return TIERS.indexOf(tier) <= TIERS.indexOf(bound.tier);
    return thresholds !== undefined && lowestScoreOf(tier, thresholds) > bound.score;
  },
  shortfallOf({ tier }, { record }, { thresholds }) {
    const points = lowestScoreOf(tier, thresholds) - (record?.score ?? 0);
    return { kind: 'tier', tier, points: points > 0 ? points : undefined };
  },
  needText: ({ tier }, { gate, tiers }) => gate.tier(tiers[tier]),
  shortfallText({ tier, points }, { gate, rep, tiers, number }) {
    if (points === undefined) return gate.tier(tiers[tier]);
    return rep.toNext(points, number(points), tiers[tier]);
  },
};

/** What people type for tiers besides their names: their emblems, and phrases of any language. */
export function tierWords(
  phrases: (texts: Texts, tier: Tier) => readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const all = LANGUAGES.map((language) => textsFor(language));
  return Object.fromEntries(
    TIERS.map((tier) => [
      tier.toLowerCase(),
      [
        EMBLEMS[tier],
        ...(LIKE_EMBLEMS[tier] ?? []),
        ...all.flatMap((texts) => phrases(texts, tier)),
      ],
    ]),
  );
}

/** The tier of a choice, as options offer it: `whale`. */
export function tierNamed(choice: string | undefined): Tier | undefined {
  return TIERS.find((tier) => tier.toLowerCase() === choice);
}
