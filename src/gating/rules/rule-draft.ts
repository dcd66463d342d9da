import type { Caution, RuleBlocker } from '#gating/community-adapter';
import type { Rule } from './rule.ts';

/** What a moderator chooses for a rule; the rest is filled in. */
export type RuleDraft = Pick<
  Rule,
  | 'grant'
  | 'requirements'
  | 'match'
  | 'chain'
  | 'bounds'
  | 'exclusive'
  | 'isHidden'
  | 'graceSeconds'
>;

/** What a moderator changes about a rule; the rest stays. */
export type RuleEdit = Partial<Omit<RuleDraft, 'grant'>>;

/** The stored rule, or what prevents it from working. */
export type RuleResult =
  | {
      readonly rule: Rule;
      readonly blockers: readonly [];
      readonly cautions: readonly Caution[];
      /** The invite link for join requests, if the rule is about entry. */
      readonly invite: string | undefined;
    }
  | { readonly rule: undefined; readonly name: string; readonly blockers: readonly RuleBlocker[] };

/** Rules for the same role that ask for the same act as one, with the longest of their grace periods. */
export function asksTheSame(rule: RuleDraft, other: RuleDraft): boolean {
  const asked = ({ grant, requirements, match, chain, bounds = [] }: RuleDraft) =>
    JSON.stringify([
      ...[grant, chain ?? null, requirements.length > 1 ? match : null],
      ...[sorted(requirements), sorted(bounds)],
    ]);
  return asked(rule) === asked(other);
}

/** Whether two are the same in all that moderators choose. */
export function isSameDraft(one: RuleDraft, other: RuleDraft): boolean {
  const manner = ({ match, exclusive, isHidden = false, graceSeconds }: RuleDraft) =>
    JSON.stringify([match, exclusive, isHidden, graceSeconds]);
  return asksTheSame(one, other) && manner(one) === manner(other);
}

function sorted(parts: readonly object[]): readonly string[] {
  return parts.map((each) => JSON.stringify(each)).toSorted();
}
