import type { Obstacle } from '#core/gating/keeper';
import type { Rule } from '#core/gating/rule';

/** What a moderator says of a rule; the rest is added. */
export type RuleDraft = Pick<
  Rule,
  'grant' | 'requirements' | 'match' | 'chain' | 'exclusive' | 'graceSeconds'
>;

/** What a moderator changes of a rule; the rest stays. */
export type RuleEdit = Partial<Omit<RuleDraft, 'grant'>>;

/** A rule was kept, or can't work: what stands in its way. */
export type RuleResult =
  | {
      readonly rule: Rule;
      readonly obstacles: readonly [];
      /** By which people ask to enter, where the rule is about that. */
      readonly invite: string | undefined;
    }
  | { readonly rule: undefined; readonly name: string; readonly obstacles: readonly Obstacle[] };
