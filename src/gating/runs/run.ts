import type { Lease } from '#cluster';
import type { Texts } from '#command/texts';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import type { Skip } from '#gating/decide/reason';
import {
  auditRow,
  type Change,
  type ChangeTally,
  NO_COUNTS,
  type Run,
  type RunCounts,
} from '#gating/reports/audit';
import type { Community, Rule } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import { canBeTriedAgain } from '#gating/undo/undo-target';
import type { Roster } from './member-scan.ts';
import { isActive, type PassCriteria } from './planner.ts';

/** Seconds after which a run ends without the changes that the platform doesn't answer. */
const PATIENCE = 3_600;

export interface ActiveRunOptions {
  readonly store: GateStore;
  readonly adapter: CommunityAdapter;
  /** Held so that nobody else runs over the community. */
  readonly lease: Lease;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/**
 * A run executed by this process: its subject, its progress, and whether its next change may be
 * made. Another process may have begun it.
 */
export class ActiveRun {
  readonly adapter: CommunityAdapter;
  readonly lease: Lease;
  /** Whether it resumes after a restart or a pause, so that its plan may be old. */
  readonly isResumed: boolean;
  /** What members are judged by; undefined in an undo, which judges nobody. */
  basis: PassCriteria | undefined;
  /** All members as listed for this run; undefined if they can't be, or it resumes. */
  roster: Roster | undefined;
  /** Who has just got what, as of the last change. */
  justGiven: Member | undefined;
  /** The language for the platform's own log; undefined until it's needed. */
  texts: Texts | undefined;
  /** Set while the platform doesn't respond: the rest waits. */
  isWaiting = false;
  #record: Run;
  readonly #store: GateStore;
  readonly #now: () => number;

  constructor(record: Run, isResumed: boolean, { store, adapter, lease, now }: ActiveRunOptions) {
    this.#record = record;
    this.isResumed = isResumed;
    this.#store = store;
    this.adapter = adapter;
    this.lease = lease;
    this.#now = now;
  }

  get record(): Run {
    return this.#record;
  }

  get id(): string {
    return this.#record.id;
  }

  get community(): Community {
    return this.#record.community;
  }

  get isUndo(): boolean {
    return this.#record.cause === 'undo';
  }

  /** A check of one member: over before anyone could stop it or ask about it. */
  get isLook(): boolean {
    return this.#record.cause === 'member';
  }

  /** Whether this process is ending, or another replica has taken the run over. */
  async isCutOff(): Promise<boolean> {
    return this.lease.signal.aborted || !(await this.lease.isHeld());
  }

  /** Whether a moderator has asked it to stop. */
  async isStopped(): Promise<boolean> {
    return !this.isLook && (await this.#store.run(this.id))?.stoppedBy !== undefined;
  }

  async mayGoOn(): Promise<boolean> {
    return !(await this.isCutOff()) && !(await this.isStopped());
  }

  /** The community's current rules. An undo isn't bound by any. */
  async rulesNow(): Promise<readonly Rule[]> {
    return await this.#store.rulesOf(this.community);
  }

  /** Why a rule no longer leads to this change; undefined if it does. */
  obstacleOf(change: Change, rules: readonly Rule[]): Skip | undefined {
    if (this.isUndo) return undefined;
    const { rule: id, step, ladder } = change;
    const rule = rules.find((each) => each.id === id);
    if (rule === undefined) return 'rule-removed';
    if (rule.paused !== undefined) return 'rule-paused';
    if (step === 'give' && ladder?.way === 'down') {
      // The higher role stays while its rules are paused, so nothing comes for it.
      const higher = rules.filter(({ grant }) => grant === ladder.other);
      if (higher.length > 0 && !higher.some(isActive)) return 'rule-paused';
    }
    // Members who meet another rule for the role keep it.
    const deciding = step === 'give' ? [rule] : rules.filter(({ grant }) => grant === rule.grant);
    if (step === 'take' && ladder?.way === 'up') {
      // They keep it too where nothing gives the higher role any more.
      const higher = rules.filter((each) => each.grant === ladder.other && isActive(each));
      if (higher.length === 0) return 'other-missing';
      deciding.push(...higher);
    }
    return deciding.every((each) => this.#isAsPlanned(each)) ? undefined : 'rule-changed';
  }

  #isAsPlanned(rule: Rule): boolean {
    if (this.basis === undefined) return true;
    const planned = this.basis.allRules.find(({ id }) => id === rule.id);
    return planned !== undefined && isSameRule(rule, planned);
  }

  /**
   * Updates the progress for others to see. A check of one member is over before anyone looks.
   * @param changes all of them, if they were just read
   */
  async saveProgress(counts: Partial<RunCounts> = {}, changes?: readonly Change[]): Promise<void> {
    this.#count(counts, this.isLook ? [] : await this.#tally(changes));
    if (!this.isLook) await this.#store.endRun(this.id, 'running', this.#record.counts, 0);
  }

  /**
   * Ends it, unless something is left to resume.
   * @param takes removals held by the removal limit
   * @param undone the run that an undo has reverted if nothing remains to be tried again
   * @param changes all of them, if they were just read
   */
  async close(takes: 'held' | 'made', undone?: Run, changes?: readonly Change[]): Promise<Run> {
    const tally = await this.#tally(changes);
    this.#count({}, tally);
    const { counts, startedAt } = this.#record;
    if (await this.isCutOff()) return this.#record;
    const isStopped = await this.isStopped();
    const isPatient = this.#now() < startedAt + PATIENCE;
    if (!isStopped && this.isWaiting && isPatient && !this.isLook) return this.#record;
    if (takes === 'held' && !isStopped) return await this.#end('held', counts);
    // What a check of one member leaves planned is how its successor finds it, even after a restart.
    if (!this.isLook && !tally.every(isConcluded)) {
      await this.#store.skipPlanned(this.id, undefined, isStopped ? 'stopped' : 'no-answer');
    }
    const ended = { ...counts, held: 0 };
    if (isStopped) return await this.#end('stopped', ended);
    if (undone !== undefined && (await this.#isWhole())) return await this.#endUndo(undone, ended);
    return await this.#end('finished', ended);
  }

  async #tally(changes: readonly Change[] | undefined): Promise<readonly ChangeTally[]> {
    if (changes === undefined) return await this.#store.tallyOf(this.id);
    return changes.map(({ step, status }) => ({ step, status, count: 1 }));
  }

  /** Whatever was refused can be fixed, and undone then. */
  async #isWhole(): Promise<boolean> {
    const changes = await this.#store.changesOf(this.id, undefined, -1, Number.MAX_SAFE_INTEGER);
    return !changes.some(canBeTriedAgain);
  }

  async #endUndo(undone: Run, counts: RunCounts): Promise<Run> {
    this.#record = { ...this.#record, status: 'finished', counts };
    const { community, by } = this.#record;
    const row = auditRow(this.#now(), community, 'undone', { run: undone.id, by });
    await this.#store.endUndo(this.#record, row);
    return this.#record;
  }

  async #end(status: Run['status'], counts: RunCounts): Promise<Run> {
    await this.#store.endRun(this.id, status, counts, this.#now());
    // Most passes change nothing; they'd bury the others.
    const { given, taken, warned, refused, held, unsettled } = counts;
    const isIdle = given + taken + warned + refused + held + unsettled === 0;
    // Undos and runs begun by a moderator are kept: an undo without an id refers to the last one.
    if (isIdle && status === 'finished' && this.#record.cause === 'sweep')
      await this.#store.forgetRun(this.id);
    this.#record = { ...this.#record, status, counts };
    return this.#record;
  }

  #count(counts: Partial<RunCounts>, tally: readonly ChangeTally[]): void {
    const done = { ...changeCounts(tally), ...counts };
    this.#record = { ...this.#record, counts: { ...this.#record.counts, ...done } };
  }
}

export function newRun(
  id: string,
  community: Community,
  cause: Run['cause'],
  by: string | undefined,
  startedAt: number,
): Run {
  const status = cause === 'member' ? 'finished' : 'running';
  const finishedAt = cause === 'member' ? startedAt : undefined;
  return { id, community, cause, by, startedAt, finishedAt, status, counts: NO_COUNTS };
}

/** Whether nothing more becomes of a change; one that was begun may turn out not to have been made. */
export function isConcluded({ status }: Pick<Change, 'status'>): boolean {
  return status === 'done' || status === 'refused' || status === 'skipped';
}

/** What became of a run's changes so far. */
export function changeCounts(tally: readonly ChangeTally[]): Partial<RunCounts> {
  const count = (matches: (each: ChangeTally) => boolean) =>
    tally.filter(matches).reduce((sum, each) => sum + each.count, 0);
  return {
    given: count(({ step, status }) => step === 'give' && status === 'done'),
    taken: count(({ step, status }) => step === 'take' && status === 'done'),
    refused: count(({ status }) => status === 'refused'),
    unsettled: count(({ status }) => status === 'unknown' || status === 'begun'),
  };
}

/** Whether a rule's requirements are those the run was planned by. */
function isSameRule(one: Rule, other: Rule): boolean {
  const asked = ({
    grant,
    requirements,
    match,
    chain,
    bounds = [],
    exclusive,
    graceSeconds,
    walletMode = 'best',
  }: Rule) =>
    JSON.stringify([
      ...[grant, requirements, match, chain ?? null, bounds, exclusive, graceSeconds],
      walletMode,
    ]);
  return asked(one) === asked(other);
}
