import type { Change, Run } from '#core/gating/audit';
import type { Implausible } from '#core/gating/implausible';
import type { Obstacle } from '#core/gating/keeper';
import type { Finding } from '#core/gating/planner';
import type { Rule } from '#core/gating/rule';
import type { UnknownReason } from '#core/gating/verdict';

/** What stands in a rule's way at the platform. */
export interface RuleTrouble {
  readonly rule: Rule;
  readonly obstacles: readonly Obstacle[];
}

/** What a run came to. */
export interface RunResult {
  /** `running`: it goes on by itself, later. */
  readonly run: Run;
  readonly rules: readonly Rule[];
  /** All that it planned, and how far each got. */
  readonly changes: readonly Change[];
  /** Of whom it has warned; empty for one that was taken up again. */
  readonly warned: readonly Finding[];
  readonly doubt: UnknownReason | undefined;
  /** What the source has shown for so long that moderators are to be told, and weren't yet. */
  readonly shows: Implausible | undefined;
  readonly troubles: readonly RuleTrouble[];
}
