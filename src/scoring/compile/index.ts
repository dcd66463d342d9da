import { daysOf } from '#base';
import type { FileFaults } from '#scoring/faults';
import type { RulesText } from '#scoring/grammar/file';
import { POINTS_MAX, RULE_POINTS_MAX } from '#scoring/grammar/give';
import type { BadgeNeed, RuleBadge, RuleSet, ScoringRule } from '#scoring/model';
import type { Path } from '#scoring/tree';
import type { WalletParser } from '#wallet';
import { type BuildContext, readWallets } from './context.ts';
import { nobodyOf } from './nobody.ts';
import { buildRule } from './rule.ts';
import { type AddressList, buildDiscounts, buildSources } from './sources.ts';

export interface BuildOptions {
  readonly wallets: WalletParser;
  /**
   * Reads a file that the rules file names.
   * @param path as written there, relative to the rules file
   * @throws UserError if it's unavailable; its message says why
   */
  readonly readList: (path: string) => AddressList;
  /** For rules accepted earlier: limits introduced since don't apply to them. */
  readonly isKept?: boolean;
}

/** Checks the parts of a rules file against each other, recording what's wrong as faults. */
export function buildRuleSet(
  text: RulesText,
  faults: FileFaults,
  { wallets, readList, isKept = false }: BuildOptions,
): RuleSet {
  const sources = buildSources(text.sources, faults);
  const pointsMax = isKept ? POINTS_MAX : RULE_POINTS_MAX;
  const context: BuildContext = { faults, wallets, sources, pointsMax, isKept };
  const badgeTexts = text.badges ?? [];
  const discountTexts = text.discounts ?? [];
  refuseRepeated(faults, ['rules'], text.rules);
  refuseRepeated(faults, ['badges'], badgeTexts);
  refuseRepeated(faults, ['discounts'], discountTexts);
  const badgeIds = badgeTexts.map(({ id }) => id);
  const built = text.rules.map((each, index) =>
    buildRule(context, ['rules', index], each, badgeIds),
  );
  const rules = built.filter((each): each is ScoringRule => each !== undefined);
  const types = new Set(rules.map(({ give }) => give.type));
  const given = new Set(rules.flatMap(({ give }) => give.badge ?? []));
  const known = [...sources.values()];
  return {
    name: text.name,
    version: Number(text.version),
    sources: known,
    rules,
    badges: buildBadges(badgeTexts, types, given, faults),
    discounts: buildDiscounts(context, discountTexts, readList),
    exempt: readWallets(context, ['exempt'], text.exempt ?? []),
    nobody: nobodyOf({ rules }, known),
  };
}

function refuseRepeated(
  faults: FileFaults,
  path: Path,
  texts: readonly { readonly id: string }[],
): void {
  const seen = new Set<string>();
  texts.forEach(({ id }, index) => {
    if (seen.has(id)) faults.at([...path, index, 'id'], `The id "${id}" is already taken.`);
    seen.add(id);
  });
}

type BadgeText = NonNullable<RulesText['badges']>[number];

/**
 * @param types activity types that the rules give
 * @param given ids of badges that rules award
 */
function buildBadges(
  texts: readonly BadgeText[],
  types: ReadonlySet<string>,
  given: ReadonlySet<string>,
  faults: FileFaults,
): RuleBadge[] {
  return texts.map((text, index) => {
    const path = ['badges', index];
    const { need, keep, soulbound, imageUrl = '', ...definition } = text;
    if (keep !== undefined && need === undefined) {
      faults.at([...path, 'keep'], '"keep" is for badges with "need".');
    }
    if (need !== undefined && given.has(text.id)) {
      faults.at(path, 'A badge is given by a rule or has "need", not both.');
    }
    if (need !== undefined && 'type' in need && !types.has(need.type)) {
      faults.at([...path, 'need', 'type'], `No rule gives activities of type "${need.type}".`);
    }
    return {
      definition: { ...definition, imageUrl, soulbound: soulbound === 'true' },
      need: need && buildNeed(need),
      isKeptWhile: keep === 'while',
    };
  });
}

function buildNeed(text: NonNullable<BadgeText['need']>): BadgeNeed {
  if ('score' in text) return { kind: 'score', score: Number(text.score) };
  const { type, count, within } = text;
  const withinDays = within === undefined ? undefined : daysOf(within);
  return { kind: 'count', type, count: Number(count), withinDays };
}
