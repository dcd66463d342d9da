import type { GrantOwnership } from '#gating/decide/grant';
import type { LadderMove } from '#gating/decide/ladder';
import type { Community } from '#gating/rules/rule';

/** What a run does to one member under one rule. */
export interface Change {
  /** Counts up within a run. */
  readonly number: number;
  readonly run: string;
  readonly rule: string;
  readonly account: string;
  /** What the rule grants; empty for a change of an older version whose rule is gone. */
  readonly grant: string;
  readonly step: 'give' | 'take';
  readonly status: ChangeStatus;
  /** Why: as `keptReason` writes it, or the code of a skip or an outcome. `reasonText` reads it. */
  readonly reason: string;
  /** The grant right before the change; undefined until it was begun. */
  readonly ownershipBefore?: GrantOwnership | undefined;
  /** In an undo: the grant to restore once it's done. */
  readonly restores?: GrantOwnership | undefined;
  /** The move between two roles that it's a half of. */
  readonly ladder?: LadderMove | undefined;
}

/**
 * How far a change is. Every arrow is written down together with its row of the audit, the same one once until
 * the change is settled.
 *
 * | from             | event                                         | to      |
 * |------------------|-----------------------------------------------|---------|
 * | planned          | it still applies: about to ask the platform   | begun   |
 * | planned          | it applies no more, its run was stopped       | skipped |
 * | begun            | the platform says yes                         | done    |
 * | begun            | the platform says no                          | refused |
 * | begun            | the member has left                           | skipped |
 * | begun            | no answer: 5xx, timeout, the process died     | unknown |
 * | begun¹, unknown  | reconciled: applied                           | done    |
 * | begun¹, unknown  | reconciled: not applied, run still active     | planned |
 * | begun¹, unknown  | reconciled: not applied, run ended            | skipped |
 *
 * ¹ abandoned by its worker. `done`, `refused` and `skipped` are final.
 */
export type ChangeStatus = 'planned' | 'begun' | 'unknown' | 'done' | 'refused' | 'skipped';

/** Whether it removes something that nothing better replaces: the removal limit counts those. */
export function isLoss({ step, ladder }: Pick<Change, 'step' | 'ladder'>): boolean {
  return step === 'take' && ladder?.way !== 'up';
}

/** Whether a held run waits with it: what it would take, and what would replace that. */
export function awaitsConfirmation(change: Pick<Change, 'step' | 'ladder'>): boolean {
  return isLoss(change) || change.ladder?.way === 'down';
}

/** Whether a held run would remove access with this change once a moderator confirms it. */
export function isHeldRemoval(change: Pick<Change, 'step' | 'status' | 'ladder'>): boolean {
  return isLoss(change) && change.status === 'planned';
}

/** Counts the members that changes affect, each once: a member may have several roles. */
export function memberCount(changes: readonly Pick<Change, 'account'>[]): number {
  return new Set(changes.map(({ account }) => account)).size;
}

/** Counts a run's changes by state. */
export interface ChangeTally {
  readonly step: Change['step'];
  readonly status: ChangeStatus;
  readonly count: number;
}

/** One pass over a community, or the consequences of one member's event. */
export interface Run {
  /** Eight lower-case letters and digits. */
  readonly id: string;
  readonly community: Community;
  readonly cause: 'sweep' | 'moderator' | 'member' | 'undo';
  /** Account that requested it. */
  readonly by: string | undefined;
  /** Seconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
  /**
   * `queued`: an undo waiting for another run to end. `held`: the removal limit stopped its removals until
   * a moderator confirms them.
   */
  readonly status: 'queued' | 'running' | 'held' | 'finished' | 'stopped' | 'undone';
  readonly counts: RunCounts;
  /** Id of the run that this one undoes. */
  readonly undoes?: string | undefined;
  /** Who confirmed its held removals; for an undo, who named the run it undoes. */
  readonly confirmedBy?: string | undefined;
  /** Who asked it to stop before its next change. */
  readonly stoppedBy?: string | undefined;
  /** Seconds since 1970 when moderators got its report, or the question about a held one. */
  readonly toldAt?: number | undefined;
}

/**
 * Seconds for which a held run can be confirmed. After that its removals are found again, and
 * moderators are asked again.
 */
const ASKED_FOR = 86_400;

/** Whether a held run still waits for a confirmation. @param now seconds since 1970 */
export function canBeConfirmed({ status, startedAt }: Run, now: number): boolean {
  return status === 'held' && startedAt > now - ASKED_FOR;
}

/** Whether a run is to be resumed, by whichever replica comes first. */
export function isOpen({ status }: Pick<Run, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

export interface RunCounts {
  readonly members: number;
  readonly unknown: number;
  readonly given: number;
  readonly taken: number;
  readonly warned: number;
  readonly refused: number;
  /** Changes to make, including those above. */
  readonly planned: number;
  /** Changes held by the removal limit. */
  readonly held: number;
  /** Changes whose outcome isn't known yet. */
  readonly unsettled: number;
  /** Accounts with linked wallets that were looked up in the community, and how many there are. */
  readonly looked: number;
  readonly toLook: number;
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
  unsettled: 0,
  looked: 0,
  toLook: 0,
};

/** Whether nothing came of a run. */
export function broughtNothing({
  given,
  taken,
  warned,
  refused,
  held,
  unsettled,
}: RunCounts): boolean {
  return given + taken + warned + refused + held + unsettled === 0;
}

/** Events of the audit log, which is append-only. */
const AUDIT_EVENTS = [
  'rule-added',
  'rule-changed',
  'rule-removed',
  'rule-paused',
  'rule-resumed',
  'protected',
  'unprotected',
  'barred',
  'unbarred',
  'bar-kept',
  'bar-moved',
  'log-channel',
  'ladder-on',
  'ladder-off',
  'language',
  'wallets',
  'announce-on',
  'announce-off',
  'panel-on',
  'panel-off',
  'digest-on',
  'digest-off',
  'setup',
  'setup-undone',
  'invite-renewed',
  'card-colour',
  'card-banner',
  'card-reset',
  'give-begun',
  'given',
  'take-begun',
  'taken',
  'refused',
  'skipped',
  'unknown',
  'warned',
  'held',
  'confirmed',
  'accepted',
  'stopped',
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
  /** The member affected. */
  readonly account: string | undefined;
  /** The moderator who did it; undefined for a rule. */
  readonly by: string | undefined;
  /** Why, as in a change; or a channel's id, or figures. */
  readonly detail: string;
}

/** A new row. @param of what it's about, and by whom */
export function auditRow(
  at: number,
  community: Community,
  event: AuditRow['event'],
  of: Partial<Pick<AuditRow, 'run' | 'rule' | 'account' | 'by' | 'detail'>>,
): AuditRow {
  const { run, rule, account, by, detail = '' } = of;
  return { at, community, event, run, rule, account, by, detail };
}
