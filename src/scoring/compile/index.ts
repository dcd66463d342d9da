import type { AddressList } from '#scoring/address-list';
import type { FileFaults } from '#scoring/faults';
import type { RulesText } from '#scoring/grammar/file';
import { POINTS_MAX, RULE_POINTS_MAX } from '#scoring/grammar/give';
import type { RuleSet, ScoringRule } from '#scoring/model';
import { nobodyOf } from '#scoring/nobody';
import type { Path } from '#scoring/tree';
import type { WalletParser } from '#wallet';
import { buildBadges } from './badges.ts';
import { type BuildContext, readWallets } from './context.ts';
import { buildDiscounts } from './discounts.ts';
import { buildRule } from './rule.ts';
import { buildSources } from './sources.ts';

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
