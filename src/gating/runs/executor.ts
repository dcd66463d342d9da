import { BusyError, type Logger } from '#base';
import { LostAnswer, NoAnswer } from '#gating/platform';
import { auditRow, type Change } from '#gating/reports/audit';
import { isRuleRefusal } from '#gating/rules/refusals';
import type { PauseReason } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import type { ChangeMaker } from './change-maker.ts';
import type { ChangeReconciler } from './reconcile-changes.ts';
import type { ActiveRun } from './run.ts';

export interface ExecutorOptions {
  readonly store: GateStore;
  readonly maker: ChangeMaker;
  readonly reconciler: ChangeReconciler;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** Changes between two progress reports. */
const PAGE = 25;
/** After this many changes in a row without a response, the platform counts as unavailable. */
const AWAY_AFTER = 3;
/** Changes without a response get one more try at the end. */
const ROUNDS = 2;

/**
 * Makes a run's planned changes one after the other. Each is recorded before and after it's made; a
 * process that dies in between leaves it `begun`, and the process that resumes the run settles it.
 */
export class Executor {
  readonly #options: ExecutorOptions;

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  /**
   * Stops between two changes if the run may not continue. If the platform doesn't respond, the run
   * is set to wait. Rules that the platform doesn't permit are paused.
   * @param isDue which changes; the others stay planned
   * @param planned all of them, if they were just stored; one that is gone by now can't be begun
   * @throws RetryableError if the store is unavailable
   */
  async execute(
    run: ActiveRun,
    isDue: (change: Change) => boolean = () => true,
    planned?: readonly Change[],
  ): Promise<void> {
    const { reconciler } = this.#options;
    const { community, adapter, lease } = run;
    // A new run has begun nothing that could be left.
    if (run.isResumed) await reconciler.settle(community, adapter, lease.signal, { run: run.id });
    run.isWaiting = false;
    for (let round = 1; round <= ROUNDS; round++) {
      const unanswered = await this.#round(run, isDue, round, round === 1 ? planned : undefined);
      if (unanswered === 'ended') return;
      if (unanswered.all === 0 && !run.isResumed) return;
      // What turns out not to have been made is made in the next round.
      const left = await reconciler.settle(community, adapter, lease.signal, { run: run.id });
      if (unanswered.all === 0 && left.size === 0) return;
      // What is refused without a reason, though the platform answers, doesn't hold up the run.
      if (round === ROUNDS) run.isWaiting = unanswered.unsent > 0 || left.size > 0;
    }
  }

  /** @returns how many got no response, or that the run may not continue now */
  async #round(
    run: ActiveRun,
    isDue: (change: Change) => boolean,
    round: number,
    planned: readonly Change[] | undefined,
  ): Promise<{ readonly all: number; readonly unsent: number } | 'ended'> {
    const { store, maker, log } = this.#options;
    let [all, unsent] = [0, 0];
    let inRow = 0;
    for (let after = -1; ; ) {
      const page =
        after === -1 && planned !== undefined
          ? planned.slice(0, PAGE)
          : await store.changesOf(run.id, 'planned', after, PAGE);
      const last = page.at(-1);
      if (last === undefined) return { all, unsent };
      // The caller has saved it before the first change.
      if (after !== -1 || round > 1) await run.saveProgress();
      after = last.number;
      for (const change of page) {
        if (!(await run.mayGoOn())) return 'ended';
        if (!isDue(change)) continue;
        const rules = await run.rulesNow();
        const blocker = run.obstacleOf(change, rules);
        if (blocker !== undefined) {
          await store.skipPlanned(run.id, change.rule, blocker);
          continue;
        }
        try {
          const outcome = await maker.make(run, change, rules);
          inRow = 0;
          if (!run.isUndo && isRuleRefusal(outcome)) {
            await this.#pause(run, change, outcome);
          }
        } catch (error) {
          if (!(error instanceof NoAnswer || error instanceof BusyError)) throw error;
          log.warn(
            { run: run.id, error: error.message },
            'could not make a gating change; retrying later',
          );
          all += 1;
          if (!(error instanceof LostAnswer)) unsent += 1;
          inRow += 1;
          if (inRow < AWAY_AFTER) continue;
          run.isWaiting = true;
          return 'ended';
        }
      }
      if (page.length < PAGE) return { all, unsent };
    }
  }

  /** The platform refused one, and would refuse all. */
  async #pause({ community, id }: ActiveRun, { rule }: Change, paused: PauseReason): Promise<void> {
    const { store, now } = this.#options;
    if (!(await store.pauseRule(community, rule, paused, 'active'))) return;
    await store.audit([
      auditRow(now(), community, 'rule-paused', { run: id, rule, detail: paused }),
    ]);
  }
}
