import type { Caution, RuleBlocker } from './community-adapter.ts';
import type { UnknownReason } from './decide/verdict.ts';
import type { Change, Run } from './reports/audit.ts';
import type { Implausible } from './rules/implausible.ts';
import type { Rule } from './rules/rule.ts';
import type { Finding } from './runs/planner.ts';

/** What prevents a rule from working on the platform, or what moderators must know of it. */
export interface RuleProblem {
  readonly rule: Rule;
  readonly blockers: readonly RuleBlocker[];
  readonly cautions?: readonly Caution[];
}

/** The stored rule, or what prevents it from working. */
export type RuleResult =
  | {
      readonly rule: Rule;
      readonly blockers: readonly [];
      readonly cautions: readonly Caution[];
      /** The invite link for join requests, if the rule is about entry. */
      readonly invite: string | undefined;
      /** Ids of the badges that it asks for and the source can't list: there may be none of that name. */
      readonly uncheckedBadges?: readonly string[];
    }
  | { readonly rule: undefined; readonly name: string; readonly blockers: readonly RuleBlocker[] };

/** What a run did. */
export interface RunResult {
  /** `running`: it continues on its own. */
  readonly run: Run;
  readonly rules: readonly Rule[];
  /** Everything it planned, by state. */
  readonly changes: readonly Change[];
  /** Whom it warned; empty if the run was resumed. */
  readonly warned: readonly Finding[];
  readonly doubt: UnknownReason | undefined;
  /**
   * What has been implausible about the source for so long that moderators must be told, and
   * haven't been.
   */
  readonly shows: Implausible | undefined;
  readonly problems: readonly RuleProblem[];
}
