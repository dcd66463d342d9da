import { PlatformFault } from '#base';
import type { Lease } from '#cluster';
import { rungsIf } from '#gating/decide/ladder';
import { keptReason } from '#gating/decide/reason';
import { FEW } from '#gating/decide/removal-limit';
import { type Change, isOpen, type Run } from '#gating/reports/audit';
import type { RuleProblem } from '#gating/result';
import { type Community, isSame } from '#gating/rules/rule';
import type { RuleBlockers } from '#gating/rules/rule-blockers';
import type { Executor } from '#gating/runs/executor';
import type { ChangeReconciler } from '#gating/runs/reconcile-changes';
import type { ActiveRun } from '#gating/runs/run';
import type { RunRegistry } from '#gating/runs/run-registry';
import type { GateStore } from '#gating/store';
import { losingBy, revertibleChanges, type UndoQuestion, undoTarget } from './undo-target.ts';

export interface UndoingOptions {
  readonly store: GateStore;
  readonly runs: RunRegistry;
  readonly executor: Executor;
  readonly reconciler: ChangeReconciler;
  readonly blockers: RuleBlockers;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What an undo did. */
export interface UndoResult {
  /** The run that restores access; `queued` or `running`: it continues on its own. */
  readonly run: Run;
  readonly undone: Run;
  readonly changes: readonly Change[];
  /** What prevents the changes that the platform refused. */
  readonly problems: readonly RuleProblem[];
  /** Whether the run's rules are there and paused: they may have been removed since. */
  readonly hasPaused: boolean;
}

const ALL = Number.MAX_SAFE_INTEGER;
const NOTHING = { changes: [], problems: [], hasPaused: false } as const;

/** Reverts what a run has changed. */
export class Undoing {
  readonly #options: UndoingOptions;

  constructor(options: UndoingOptions) {
    this.#options = options;
  }

  /**
   * Stops a run if it's active, reverts everything it changed, and pauses the rules that would do
   * it again.
   * @param id of the run; without it the last one, if it's clearly meant. Of an undo: what it came to
   * @returns undefined if there is nothing to undo
   * @throws RetryableError if the store is unavailable or this process ends; the next one resumes
   *   it
   */
  async undo(
    community: Community,
    by: string,
    id?: string,
  ): Promise<UndoResult | UndoQuestion | undefined> {
    const { store, runs, now } = this.#options;
    const named = id === undefined ? undefined : await store.run(id);
    if (named?.cause === 'undo' && isSame(named.community, community)) {
      return await this.#outcomeOf(named);
    }
    const target =
      id === undefined
        ? await undoTarget(store, community, now())
        : await this.#named(community, id);
    if (target === undefined) return undefined;
    if ('asksAbout' in target) {
      return { ...target, losing: await this.#losingBy(target.asksAbout) };
    }
    const { run, isBegun } = target;
    const begun = isBegun
      ? (await runs.openIn(community)).find(({ undoes }) => undoes === run.id)
      : undefined;
    const { id: undo } = begun ?? (await runs.queueUndo(run, by, id !== undefined || isBegun));
    await runs.stop(community, by, true);
    await this.#pauseAtOnce(run, id !== undefined || isBegun);
    return await this.#goOnWhenFree(community, undo);
  }

  /** The change in progress may take a while. */
  async #goOnWhenFree(community: Community, undo: string) {
    const { store, runs } = this.#options;
    return await runs.whenFree(community, async (lease) => {
      // Another process may have done it while we waited.
      const record = await store.run(undo);
      return record && (await this.goOn(record, lease));
    });
  }

  /** Waits for an undo that was begun before. */
  async #outcomeOf(record: Run): Promise<UndoResult | UndoQuestion | undefined> {
    if (isOpen(record)) return await this.#goOnWhenFree(record.community, record.id);
    const undone =
      record.undoes === undefined ? undefined : await this.#options.store.run(record.undoes);
    return undone && (await this.#resultOf(record, undone));
  }

  /**
   * Resumes an undo wherever it was interrupted. If it can't begin yet, it stays queued.
   * @returns undefined if there is nothing left to undo
   */
  async goOn(record: Run, lease: Lease): Promise<UndoResult | UndoQuestion | undefined> {
    const { store, runs, now } = this.#options;
    const undone = record.undoes === undefined ? undefined : await store.run(record.undoes);
    if (undone === undefined) {
      // It did nothing, so it was deleted as it ended.
      await store.forgetRun(record.id);
      return undefined;
    }
    if (!isOpen(record)) {
      return await this.#resultOf(record, undone);
    }
    if (record.status === 'queued' && record.stoppedBy !== undefined) {
      await store.endRun(record.id, 'stopped', record.counts, now());
      return { run: { ...record, status: 'stopped' }, undone, ...NOTHING };
    }
    if (record.status === 'queued') {
      if (!(await this.#makeWay(record, lease))) return { run: record, undone, ...NOTHING };
      const question = await this.#askFirst(record);
      if (question !== 'start') return question;
      if (!(await store.startRun(record.id))) return { run: record, undone, ...NOTHING };
    }
    const run = runs.resume({ ...record, status: 'running' }, lease);
    if (run === undefined) throw new PlatformFault('The platform is not connected.');
    return await this.#carryOut(run);
  }

  /**
   * Drops an undo whose turn has come if its run has been undone by now, or if it needs a
   * confirmation: only now do we know how much the run has changed.
   */
  async #askFirst({ id, undoes, confirmedBy }: Run): Promise<UndoQuestion | undefined | 'start'> {
    const { store } = this.#options;
    const target = undoes === undefined ? undefined : await store.run(undoes);
    if (target === undefined || target.status === 'undone') {
      await store.forgetRun(id);
      return undefined;
    }
    const losing = confirmedBy === undefined ? await this.#losingBy(target) : 0;
    if (losing <= FEW) return 'start';
    await store.forgetRun(id);
    return { why: 'many', asksAbout: target, losing };
  }

  async #losingBy(run: Run): Promise<number> {
    const { store } = this.#options;
    return await losingBy(store, run.community, await revertibleChanges(store, run));
  }

  /** Ends active runs. @returns false if one isn't over yet */
  async #makeWay({ id, community, by, undoes, confirmedBy }: Run, lease: Lease): Promise<boolean> {
    const { store, runs } = this.#options;
    // The process may have been killed before it could ask them to stop.
    if (by !== undefined) await runs.stop(community, by, true);
    const target = undoes === undefined ? undefined : await store.run(undoes);
    if (target !== undefined) await this.#pauseAtOnce(target, confirmedBy !== undefined);
    const others = (await runs.openIn(community)).filter(({ status }) => status === 'running');
    for (const each of others) {
      const run = each.id === id ? undefined : runs.resume(each, lease);
      if (run === undefined) return false;
      if (run.isUndo) await this.#carryOut(run);
      else await run.close('made');
    }
    return (await runs.openIn(community)).every(({ status }) => status !== 'running');
  }

  /** Begins or resumes the reverting. */
  async #carryOut(run: ActiveRun): Promise<UndoResult | undefined> {
    const { store, executor, reconciler } = this.#options;
    const { community, record, adapter, lease } = run;
    const target = record.undoes === undefined ? undefined : await store.run(record.undoes);
    if (target === undefined) {
      await run.close('made');
      return undefined;
    }
    let isPlanned = (await store.changesOf(run.id, undefined, -1, 1)).length > 0;
    if (!isPlanned && (await run.mayGoOn())) {
      const left = await reconciler.settle(community, adapter, lease.signal, { run: target.id });
      if (left.size > 0) run.isWaiting = true;
      else {
        await this.#plan(run, target);
        isPlanned = true;
      }
    }
    if (isPlanned) await executor.execute(run);
    return await this.#resultOf(await run.close('made', isPlanned ? target : undefined), target);
  }

  async #resultOf(run: Run, undone: Run): Promise<UndoResult> {
    const { store, blockers } = this.#options;
    const changes = await store.changesOf(run.id, undefined, -1, ALL);
    const refused = changes.filter(({ status }) => status === 'refused');
    const inTheWay = await blockers.ofGrants(run.community, grantsOf(refused));
    const grants = grantsOf(changes);
    const rules = await store.rulesOf(run.community);
    const hasPaused = rules.some(({ grant, paused }) => paused !== undefined && grants.has(grant));
    return { run, undone, changes, problems: inTheWay, hasPaused };
  }

  async #plan(run: ActiveRun, target: Run): Promise<void> {
    const { store, blockers } = this.#options;
    const { community } = run;
    const done = await revertibleChanges(store, target);
    const roles = grantsOf(done);
    const reason = keptReason({ code: 'undo', run: target.id });
    // After a fix, the platform is asked again about what it recently refused.
    await blockers.ofGrants(community, roles);
    await this.#pauseRulesOf(community, roles);
    const taken = new Set(done.filter(({ step }) => step === 'take').map(memberRole));
    await store.planChanges(
      done.toReversed().map((change, number) => ({
        ...change,
        // What the run didn't take doesn't come back, so nothing waits for it.
        ladder:
          change.ladder && taken.has(memberRole({ ...change, grant: change.ladder.other }))
            ? change.ladder
            : undefined,
        number,
        run: run.id,
        step: change.step === 'give' ? 'take' : 'give',
        status: 'planned',
        reason,
        ownershipBefore: undefined,
        restores: change.ownershipBefore ?? (change.step === 'give' ? 'none' : 'ours'),
      })),
    );
    await run.saveProgress({ members: done.length, planned: done.length });
  }

  /**
   * Pauses a run's rules before its undo waits: stopping the undo doesn't mean that the run should
   * continue.
   * @param isSure false: pauses no rule if the undo will ask first
   */
  async #pauseAtOnce(target: Run, isSure: boolean): Promise<void> {
    const { store } = this.#options;
    const done = await revertibleChanges(store, target);
    if (!isSure && (await losingBy(store, target.community, done)) > FEW) return;
    const ahead = isOpen(target) ? await store.changesOf(target.id, 'planned', -1, ALL) : [];
    const begun = await store.changesOf(target.id, 'begun', -1, ALL);
    await this.#pauseRulesOf(target.community, grantsOf([...done, ...begun, ...ahead]));
  }

  async #pauseRulesOf(community: Community, grants: ReadonlySet<string>): Promise<void> {
    const { store } = this.#options;
    const { isLadder } = await store.settingsOf(community);
    const rules = await store.rulesOf(community);
    const rungs = rungsIf(isLadder, rules);
    const highest = Math.min(...[...grants].flatMap((grant) => rungs.get(grant) ?? []));
    for (const { id, grant, paused } of rules) {
      // Another rule for the same role would do it again as well, and a lower rung would take that role's place.
      const again = grants.has(grant) || (rungs.get(grant) ?? -1) > highest;
      if (again && paused === undefined) await store.pauseRule(community, id, 'undo', 'active');
    }
  }

  async #named(
    community: Community,
    id: string,
  ): Promise<{ readonly run: Run; readonly isBegun: boolean } | undefined> {
    const run = await this.#options.store.run(id);
    const isHere = run !== undefined && isSame(run.community, community);
    return isHere && run.status !== 'undone' ? { run, isBegun: false } : undefined;
  }
}

function memberRole({ account, grant }: Pick<Change, 'account' | 'grant'>): string {
  return `${account} ${grant}`;
}

function grantsOf(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(changes.map(({ grant }) => grant));
}
