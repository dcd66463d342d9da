import {
  type Change,
  type ChangeTally,
  NO_COUNTS,
  type Run,
  type RunCounts,
} from '#core/gating/audit';
import type { GateKeeper } from '#core/gating/keeper';
import type { Basis } from '#core/gating/planner';
import type { Community, Rule } from '#core/gating/rule';
import type { Skip } from '#core/gating/skip';
import type { GateStore } from '#core/gating/store';
import type { Texts } from '#core/texts/index';
import type { Lease } from '#core/work/replica';

/** Seconds after which a run ends without what the platform gives no answer about. */
const PATIENCE = 3_600;

export interface ActiveRunOptions {
  readonly store: GateStore;
  readonly keeper: GateKeeper;
  /** That nobody else runs over the community. */
  readonly lease: Lease;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/**
 * A run that this process is at: what it is about, how far it is, and whether its next change may be
 * made. It may have been begun by another process.
 */
export class ActiveRun {
  readonly keeper: GateKeeper;
  readonly lease: Lease;
  /** Whether it goes on after a restart or a pause: what was planned may be old. */
  readonly isResumed: boolean;
  /** What members are judged by; undefined in an undo, which judges nobody. */
  basis: Basis | undefined;
  /** In which the platform's own log is told why; undefined before it is first needed. */
  texts: Texts | undefined;
  /** Set when the platform does not answer: what is left waits. */
  isWaiting = false;
  #record: Run;
  readonly #store: GateStore;
  readonly #now: () => number;

  constructor(record: Run, isResumed: boolean, { store, keeper, lease, now }: ActiveRunOptions) {
    this.#record = record;
    this.isResumed = isResumed;
    this.#store = store;
    this.keeper = keeper;
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

  /** A look at one member: over before anybody could stop it or ask about it. */
  get isLook(): boolean {
    return this.#record.cause === 'member';
  }

  /** Whether it was cut off by the end of this process, or another replica is at it now. */
  async isCutOff(): Promise<boolean> {
    return this.lease.signal.aborted || !(await this.lease.isHeld());
  }

  /** Whether a moderator has asked it to end. */
  async isStopped(): Promise<boolean> {
    return !this.isLook && (await this.#store.run(this.id))?.stoppedBy !== undefined;
  }

  async mayGoOn(): Promise<boolean> {
    return !(await this.isCutOff()) && !(await this.isStopped());
  }

  /** The community's rules as they are now. An undo is bound by none. */
  async rulesNow(): Promise<readonly Rule[]> {
    return await this.#store.rulesOf(this.community);
  }

  /** Why a rule does not lead to this change any more; undefined when it does. */
  obstacleOf({ rule: id, step }: Change, rules: readonly Rule[]): Skip | undefined {
    if (this.isUndo) return undefined;
    const rule = rules.find((each) => each.id === id);
    if (rule === undefined) return 'rule-removed';
    if (rule.paused !== undefined) return 'rule-paused';
    // Whoever meets another rule for the role keeps it.
    const deciding = step === 'give' ? [rule] : rules.filter(({ grant }) => grant === rule.grant);
    return deciding.every((each) => this.#isAsPlanned(each)) ? undefined : 'rule-changed';
  }

  #isAsPlanned(rule: Rule): boolean {
    if (this.basis === undefined) return true;
    const planned = this.basis.allRules.find(({ id }) => id === rule.id);
    return planned !== undefined && isSameRule(rule, planned);
  }

  /** Notes for others how far it is. */
  async saveProgress(counts: Partial<RunCounts> = {}): Promise<void> {
    await this.#count(counts);
    if (!this.isLook) await this.#store.endRun(this.id, 'running', this.#record.counts, 0);
  }

  /**
   * Ends it, unless something is left that is to be gone on with.
   * @param takes what the brake holds
   */
  async close(takes: 'held' | 'made'): Promise<Run> {
    await this.#count({});
    const { counts, startedAt } = this.#record;
    if (await this.isCutOff()) return this.#record;
    const isStopped = await this.isStopped();
    const isPatient = this.#now() < startedAt + PATIENCE;
    if (!isStopped && this.isWaiting && isPatient && !this.isLook) return this.#record;
    if (takes === 'held' && !isStopped) return await this.#end('held', counts);
    await this.#store.skipPlanned(this.id, undefined, isStopped ? 'stopped' : 'no-answer');
    return await this.#end(isStopped ? 'stopped' : 'finished', { ...counts, held: 0 });
  }

  async #end(status: Run['status'], counts: RunCounts): Promise<Run> {
    await this.#store.endRun(this.id, status, counts, this.#now());
    // Most passes change nothing; they would bury the others.
    const { given, taken, warned, refused, held, unsettled } = counts;
    const isIdle = given + taken + warned + refused + held + unsettled === 0;
    // An undo is kept, and what a moderator began: an undo that names no run means the last one.
    if (isIdle && status === 'finished' && this.#record.cause === 'sweep')
      await this.#store.forgetRun(this.id);
    this.#record = { ...this.#record, status, counts };
    return this.#record;
  }

  async #count(counts: Partial<RunCounts>): Promise<void> {
    const tally = await this.#store.tallyOf(this.id);
    const done = { ...countsOf(tally), ...counts };
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

function countsOf(tally: readonly ChangeTally[]): Partial<RunCounts> {
  const count = (isIt: (each: ChangeTally) => boolean) =>
    tally.filter(isIt).reduce((sum, each) => sum + each.count, 0);
  return {
    given: count(({ step, status }) => step === 'give' && status === 'done'),
    taken: count(({ step, status }) => step === 'take' && status === 'done'),
    refused: count(({ status }) => status === 'refused'),
    unsettled: count(({ status }) => status === 'unknown' || status === 'begun'),
  };
}

/** Whether a rule asks for the same as when the run was planned. */
function isSameRule(one: Rule, other: Rule): boolean {
  const asked = ({ grant, requirements, match, chain, exclusive, graceSeconds }: Rule) =>
    JSON.stringify([grant, requirements, match, chain ?? null, exclusive, graceSeconds]);
  return asked(one) === asked(other);
}
