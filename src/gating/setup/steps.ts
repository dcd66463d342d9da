import type { Texts } from '#command/texts';
import type { RuleDraft } from '#gating/rules/rule-draft';
import type { PlannedTier } from './plan.ts';
import type { ReplacedRule, SetupStep } from './record.ts';

interface StepsOptions {
  /** Whether to make new roles where some of the same names exist. */
  readonly isNew: boolean;
  readonly texts: Texts;
  /** Ids of rules that exist. */
  readonly used: readonly string[];
  readonly newRuleId: () => string;
}

/**
 * What a setup does for each tier, after what earlier ones did: it's undone together. A step whose rule is
 * replaced ends: its role is gone.
 */
export function setupSteps(
  tiers: readonly PlannedTier[],
  before: readonly SetupStep[],
  { isNew, texts, used, newRuleId }: StepsOptions,
): readonly SetupStep[] {
  const taken = new Set(used);
  const freeId = (): string => {
    const id = newRuleId();
    if (taken.has(id)) return freeId();
    taken.add(id);
    return id;
  };
  const planned = tiers.filter(({ is }) => is !== 'ruled');
  // Rules of the same second are listed by their ids: in the order of tiers.
  const ids = planned.map(freeId).toSorted();
  const replaced = new Set(planned.flatMap(({ replaces }) => replaces.map(({ id }) => id)));
  return [
    ...before
      .filter(({ rule }) => !replaced.has(rule))
      .map((it) => ({ ...it, isOld: true as const })),
    ...planned.map(({ tier, is, name, role, replaces }, i): SetupStep => {
      const own = before.filter(({ rule }) => replaces.some(({ id }) => id === rule));
      const all: readonly ReplacedRule[] = [
        ...replaces.map((rule) => ({ rule, isOurs: own.some((it) => it.rule === rule.id) })),
        // If the rule itself came in place of others, those count.
        ...own.flatMap((it) => it.replaces ?? []),
      ];
      const more = { rule: ids[i] as string, ...(all.length > 0 && { replaces: all }) };
      return is === 'offered' && !isNew
        ? { tier, name, role: 'there', id: role, ...more }
        : { tier, name: texts.tiers[tier], role: 'planned', id: undefined, ...more };
    }),
  ];
}

/** What moderators chose for a rule, for the one in its place. */
export function chosenFor([replaced]: readonly ReplacedRule[]): Partial<RuleDraft> {
  if (replaced === undefined) return {};
  const { exclusive, isHidden, graceSeconds } = replaced.rule;
  return { exclusive, isHidden, graceSeconds };
}
