import { messageOf, RetryableError } from '#core/errors';
import type { AuditRow, Change, ChangeStatus, Run } from '#core/gating/audit';
import { memberClaim } from '#core/gating/claims';
import { afterStep, type Grant, noGrant } from '#core/gating/grant';
import type { GateKeeper, Outcome } from '#core/gating/keeper';
import type { Basis, Planner } from '#core/gating/planner';
import type { PauseReason, Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import type { Logger } from '#core/logger';
import { BusyError, type Lease, type Replica } from '#core/work/replica';

export interface ExecutorOptions {
  readonly store: GateStore;
  readonly planner: Planner;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** How far the changes of a run got. */
export interface Progress {
  given: number;
  taken: number;
  refused: number;
}

/** Changes between two words about how far it is. */
const PAGE = 25;
/** Tries of one change when the platform says "not now"; the next pass tries again. */
const TRIES = 2;

/** The platform is in the way of one change; others may go on. */
class NotNow extends RetryableError {}

/**
 * Does what a run has planned, one change after the other. Each is written down before it is done, so
 * that nothing changes without a row in the audit, and again after it; a process that dies in between
 * leaves it `begun`, which is looked into when the run is gone on with.
 */
export class Executor {
  readonly #options: ExecutorOptions;

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  /**
   * @param steps which ones; the others stay planned
   * @param basis to ask once more before something is taken; undefined for an undo, which asks nobody
   * @param lease ends it early, between two changes
   * @param onProgress told from time to time how far it is
   * @returns rules that the platform doesn't let us follow, with the reason
   * @throws RetryableError when the store can't be had, or the platform for an undo: then it is to be
   *   gone on with
   */
  async execute(
    run: Run,
    keeper: GateKeeper,
    rules: ReadonlyMap<string, Rule>,
    steps: readonly Change['step'][],
    basis: Basis | undefined,
    progress: Progress,
    lease: Lease,
    onProgress: () => Promise<void>,
  ): Promise<Map<string, PauseReason>> {
    const { store } = this.#options;
    const stuck = new Map<string, PauseReason>();
    for (const status of ['begun', 'planned'] as const) {
      for (let after = -1; !lease.signal.aborted; ) {
        const page = await store.changesOf(run.id, status, after, PAGE);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.number;
        await onProgress();
        for (const change of page) {
          if (lease.signal.aborted || !(await lease.isHeld())) return stuck;
          const rule = rules.get(change.rule);
          if (!steps.includes(change.step)) continue;
          if (rule === undefined || stuck.has(rule.id)) {
            await this.#mark(run, change, 'skipped', undefined, 'the rule does not work now');
            continue;
          }
          const outcome = await this.#one(run, keeper, rule, change, basis, lease);
          count(progress, change, outcome);
          if (outcome === 'no-role' || outcome === 'not-allowed') stuck.set(rule.id, outcome);
        }
      }
    }
    return stuck;
  }

  /** @returns undefined when it no longer applied, or could not be done now */
  async #one(
    run: Run,
    keeper: GateKeeper,
    rule: Rule,
    change: Change,
    basis: Basis | undefined,
    lease: Lease,
  ): Promise<Outcome | undefined> {
    const { log, replica } = this.#options;
    // Two who change the same member at once would each take what the other does for a third's.
    const claim = memberClaim(run.community, change.account);
    try {
      return await replica.inTurn(claim, lease.signal, ({ isHeld }) =>
        this.#doOne(
          run,
          keeper,
          rule,
          change,
          basis,
          async () => (await isHeld()) && (await lease.isHeld()),
        ),
      );
    } catch (error) {
      if (!(error instanceof NotNow || error instanceof BusyError)) throw error;
      // No later pass would find what an undo has left: it stays as it is, and is gone on with.
      if (run.cause === 'undo') throw error;
      log.warn({ run: run.id, error: error.message }, 'a change of gating waits for the next pass');
      return undefined;
    }
  }

  async #doOne(
    run: Run,
    keeper: GateKeeper,
    rule: Rule,
    change: Change,
    basis: Basis | undefined,
    isHeld: Lease['isHeld'],
  ): Promise<Outcome | undefined> {
    const [kept] = (await this.#options.store.grantsOf(run.community, [change.account])).filter(
      (each) => each.rule === rule.id,
    );
    const grant = kept ?? noGrant(rule.id, change.account);
    const why = await this.#whyNot(run, keeper, rule, change, grant, basis);
    if (why !== undefined) {
      await this.#mark(run, change, 'skipped', why.grant, why.reason);
      return undefined;
    }
    // Gone: its rule was removed meanwhile, or its account erased.
    if (!(await this.#mark(run, change, 'begun', undefined, change.reason))) return undefined;
    const outcome = await this.#ask(run, keeper, rule, change);
    // Whoever has it now finds it begun, and looks into it.
    if (!(await isHeld())) throw new RetryableError('This replica was silent for too long.');
    await this.#settle(run, change, grant, outcome);
    return outcome;
  }

  /** Looks once more before anything is done: what was planned may be minutes old. */
  async #whyNot(
    { community }: Run,
    keeper: GateKeeper,
    rule: Rule,
    change: Change,
    kept: Grant,
    basis: Basis | undefined,
  ): Promise<{ readonly reason: string; readonly grant?: Grant } | undefined> {
    const { store, planner } = this.#options;
    if (basis === undefined) return undefined;
    if (change.step === 'give') {
      // Given since it was planned, by a look at this member or by a run.
      if (kept.holds === 'ours') return { reason: 'they have it already' };
      const member =
        basis.seen?.get(change.account) ??
        (await asked(() => keeper.member(community.id, change.account)));
      if (member === undefined) return { reason: 'not a member any more' };
      if (!member.grants.includes(rule.grant)) return undefined;
      const grant = { ...noGrant(rule.id, change.account), holds: 'theirs' } as const;
      // Begun before a restart, and it had gone through.
      if (change.status === 'begun')
        return { reason: 'given before a restart', grant: { ...grant, holds: 'ours' } };
      return { reason: 'they have it already', grant };
    }
    const known = await store.member(community, change.account);
    if (known === undefined) return { reason: 'not a member any more' };
    // By all rules: another one may give the same, and be met by now.
    const { findings } = await planner.judge(community, { ...basis, seen: undefined }, [known]);
    const finding = findings.find((each) => each.rule.id === rule.id);
    if (finding?.verdict.answer === 'lacks' && finding.step === 'take') return undefined;
    return { reason: finding === undefined ? 'they meet it again' : finding.reason };
  }

  async #ask(
    { community }: Run,
    keeper: GateKeeper,
    rule: Rule,
    { step, account, reason }: Change,
  ): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return step === 'give'
          ? await keeper.give(community.id, account, rule.grant, reason)
          : await keeper.take(community.id, account, rule.grant, reason);
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        if (attempt === TRIES) throw new NotNow(messageOf(error), { cause: error });
      }
    }
  }

  async #settle(run: Run, change: Change, grant: Grant, outcome: Outcome): Promise<void> {
    const { store } = this.#options;
    switch (outcome) {
      case 'done':
        await this.#mark(run, change, 'done', afterStep(grant, change.step), change.reason);
        return;
      case 'left':
        await this.#mark(run, change, 'skipped', undefined, 'not a member any more');
        await store.forgetMember(run.community, change.account);
        return;
      default:
        await this.#mark(run, change, 'refused', undefined, outcome);
    }
  }

  async #mark(
    run: Run,
    change: Change,
    status: ChangeStatus,
    grant: Grant | undefined,
    detail: string,
  ): Promise<boolean> {
    const { store, now } = this.#options;
    const row: AuditRow = {
      at: now(),
      community: run.community,
      event: EVENTS[status][change.step],
      run: run.id,
      rule: change.rule,
      account: change.account,
      by: run.by,
      detail,
    };
    return await store.markChange({ ...change, status }, row, run.community, grant);
  }
}

const EVENTS = {
  planned: { give: 'skipped', take: 'skipped' },
  skipped: { give: 'skipped', take: 'skipped' },
  begun: { give: 'give-begun', take: 'take-begun' },
  done: { give: 'given', take: 'taken' },
  refused: { give: 'refused', take: 'refused' },
} as const satisfies Record<ChangeStatus, Record<Change['step'], AuditRow['event']>>;

/** Asks the platform, and tells its "not now" from the store's. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    throw new NotNow(messageOf(error), { cause: error });
  }
}

function count(progress: Progress, { step }: Change, outcome: Outcome | undefined): void {
  if (outcome === 'done') progress[step === 'give' ? 'given' : 'taken'] += 1;
  else if (outcome !== undefined && outcome !== 'left') progress.refused += 1;
}
