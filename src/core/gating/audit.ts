import type { Community } from '#core/gating/rule';

/** What a run does to one member under one rule. */
export interface Change {
  /** Counts up within a run. */
  readonly number: number;
  readonly run: string;
  readonly rule: string;
  readonly account: string;
  readonly step: 'give' | 'take';
  readonly status: ChangeStatus;
  /** Why, in few words for the audit: `Whale, 7420 points`. */
  readonly reason: string;
}

/**
 * `planned`: nothing was done yet. `begun`: the platform may or may not have done it. `done`,
 * `refused` by the platform, `skipped` because it no longer applied.
 */
export type ChangeStatus = 'planned' | 'begun' | 'done' | 'refused' | 'skipped';

/** One pass over a community, or what one member's event led to. */
export interface Run {
  /** Eight lower-case letters and digits. */
  readonly id: string;
  readonly community: Community;
  readonly cause: 'sweep' | 'moderator' | 'member' | 'undo';
  /** Account that asked for it. */
  readonly by: string | undefined;
  /** Seconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
  /** `held`: the brake stopped what it would take, until somebody says yes. */
  readonly status: 'running' | 'held' | 'finished' | 'undone';
  readonly counts: RunCounts;
}

export interface RunCounts {
  readonly members: number;
  readonly unknown: number;
  readonly given: number;
  readonly taken: number;
  readonly warned: number;
  readonly refused: number;
  /** Changes that are to be made, the ones above included. */
  readonly planned: number;
  /** What the brake holds. */
  readonly held: number;
}

export const NO_COUNTS: RunCounts = {
  members: 0,
  unknown: 0,
  given: 0,
  taken: 0,
  warned: 0,
  refused: 0,
  planned: 0,
  held: 0,
};

/** What the audit tells; rows are only ever added. */
const AUDIT_EVENTS = [
  'rule-added',
  'rule-changed',
  'rule-removed',
  'rule-paused',
  'rule-resumed',
  'protected',
  'unprotected',
  'log-channel',
  'give-begun',
  'given',
  'take-begun',
  'taken',
  'refused',
  'skipped',
  'warned',
  'held',
  'confirmed',
  'undone',
  'admitted',
  'turned-away',
] as const;

export interface AuditRow {
  /** Seconds since 1970. */
  readonly at: number;
  readonly community: Community;
  readonly event: (typeof AUDIT_EVENTS)[number];
  readonly run: string | undefined;
  readonly rule: string | undefined;
  /** The member it is about. */
  readonly account: string | undefined;
  /** The moderator who did it; undefined for what was done by rule. */
  readonly by: string | undefined;
  /** In few words. */
  readonly detail: string;
}
