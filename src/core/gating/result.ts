import type { Change, Run } from '#core/gating/audit';
import type { Implausible } from '#core/gating/implausible';
import type { Caution, Obstacle } from '#core/gating/keeper';
import type { Finding } from '#core/gating/planner';
import type { Rule } from '#core/gating/rule';
import type { UnknownReason } from '#core/gating/verdict';

/** What prevents a rule from working on the platform, or what moderators must know of it. */
export interface RuleTrouble {
  readonly rule: Rule;
  readonly obstacles: readonly Obstacle[];
  readonly cautions?: readonly Caution[];
}

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
  readonly troubles: readonly RuleTrouble[];
}
