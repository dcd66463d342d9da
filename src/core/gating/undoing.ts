import { RetryableError } from '#core/errors';
import type { Change, Run } from '#core/gating/audit';
import { FEW } from '#core/gating/brake';
import type { Executor } from '#core/gating/executor';
import { lastRun, losingBy, type UndoQuestion } from '#core/gating/last-run';
import { type Community, isSame } from '#core/gating/rule';
import type { ActiveRun } from '#core/gating/run';
import type { RunBook } from '#core/gating/run-book';
import type { Settler } from '#core/gating/settler';
import type { GateStore } from '#core/gating/store';
import type { Texts } from '#core/texts/index';
import type { Lease } from '#core/work/replica';

export interface UndoingOptions {
  readonly store: GateStore;
  readonly book: RunBook;
  readonly executor: Executor;
  readonly settler: Settler;
  /** In the community's language. */
  readonly textsOf: (community: Community) => Promise<Texts>;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What undoing a run came to. */
export interface UndoResult {
  /** The run that puts things back; `running`: it goes on by itself, later. */
  readonly run: Run;
  readonly undone: Run;
  readonly changes: readonly Change[];
}

const PAGE = 1_000;

/** Puts back what a run has changed. */
export class Undoing {
  readonly #options: UndoingOptions;

  constructor(options: UndoingOptions) {
    this.#options = options;
  }

  /**
   * Stops a run if it is under way, puts back everything that it has changed, and pauses the rules that
   * would do it again.
   * @param id of the run; without it the last one, if that is surely meant
   * @returns undefined when there is nothing to undo
   * @throws RetryableError when the store can't be had, or the run doesn't end in time
   */
  async undo(
    community: Community,
    by: string,
    id?: string,
  ): Promise<UndoResult | UndoQuestion | undefined> {
    const { store, book, now } = this.#options;
    const target =
      id === undefined ? await lastRun(store, community, now()) : await this.#named(community, id);
    if (target === undefined) return undefined;
    if ('asksAbout' in target) {
      return { ...target, losing: losingBy(await this.#doneIn(target.asksAbout)) };
    }
    const { run, isBegun } = target;
    await book.stop(community, by, true);
    // The change that is under way may take a while.
    return await book.whenFree(community, async (lease) => {
      // It may have been undone by somebody else before it was our turn.
      const current = await store.run(run.id);
      if (current === undefined || current.status === 'undone') return undefined;
      if (id === undefined && !isBegun) {
        const losing = losingBy(await this.#doneIn(current));
        if (losing > FEW) return { why: 'many', asksAbout: current, losing };
      }
      return await this.#undo(current, by, lease);
    });
  }

  async #undo(target: Run, by: string, lease: Lease): Promise<UndoResult | undefined> {
    const { book, settler } = this.#options;
    const { community } = target;
    const keeper = book.keeperOf(community);
    if (keeper === undefined) throw new RetryableError('The platform is not connected.');
    for (const each of await book.openIn(community)) {
      const run = book.resume(each, lease);
      if (run === undefined) continue;
      if (!run.isUndo) await run.close('made');
      else {
        const result = await this.carryOut(run);
        if (each.undoes === target.id) return result;
      }
    }
    const left = await settler.settle(community, keeper, lease.signal, { run: target.id });
    if (left.size > 0) throw new RetryableError('The platform does not answer now.');
    const run = await book.begin(community, 'undo', by, lease, target.id);
    return run && (await this.carryOut(run));
  }

  /** Begins to put things back, or goes on with it wherever it was cut off. */
  async carryOut(run: ActiveRun): Promise<UndoResult | undefined> {
    const { store, executor, now } = this.#options;
    const { community, record } = run;
    const target = record.undoes === undefined ? undefined : await store.run(record.undoes);
    if (target === undefined) {
      await run.close('made');
      return undefined;
    }
    const isPlanned = (await store.changesOf(run.id, undefined, -1, 1)).length > 0;
    if (!isPlanned && (await run.mayGoOn())) {
      await this.#plan(run, target);
    }
    await executor.execute(run, ['give', 'take']);
    const ended = await run.close('made');
    if (ended.status === 'finished') {
      await store.endRun(target.id, 'undone', target.counts, now());
      const about = { run: target.id, rule: undefined, account: undefined, by: record.by };
      await store.audit([{ at: now(), community, event: 'undone', ...about, detail: '' }]);
    }
    const changes = await store.changesOf(run.id, undefined, -1, Number.MAX_SAFE_INTEGER);
    return { run: ended, undone: target, changes };
  }

  async #plan(run: ActiveRun, target: Run): Promise<void> {
    const { store } = this.#options;
    const { community } = run;
    const { gate } = await this.#options.textsOf(community);
    const done = await this.#doneIn(target);
    const roles = new Set(done.map(({ grant }) => grant));
    // Of rules that give the same another one would do it again, too.
    for (const { id, grant, paused } of await store.rulesOf(community)) {
      if (roles.has(grant) && paused === undefined) await store.pauseRule(community, id, 'undo');
    }
    await store.planChanges(
      done.toReversed().map((change, number) => ({
        ...change,
        number,
        run: run.id,
        step: change.step === 'give' ? 'take' : 'give',
        status: 'planned',
        reason: gate.undoOf(target.id),
        heldBefore: undefined,
        restores: change.heldBefore ?? (change.step === 'give' ? 'none' : 'ours'),
      })),
    );
    await run.saveProgress({ members: done.length, planned: done.length });
  }

  async #doneIn({ id }: Run): Promise<Change[]> {
    const done: Change[] = [];
    for (let after = -1; ; ) {
      const page = await this.#options.store.changesOf(id, 'done', after, PAGE);
      const last = page.at(-1);
      if (last === undefined) return done;
      done.push(...page);
      after = last.number;
    }
  }

  async #named(
    community: Community,
    id: string,
  ): Promise<{ readonly run: Run; readonly isBegun: boolean } | undefined> {
    const run = await this.#options.store.run(id);
    const isIt = run !== undefined && isSame(run.community, community) && run.cause !== 'undo';
    return isIt && run.status !== 'undone' ? { run, isBegun: false } : undefined;
  }
}
