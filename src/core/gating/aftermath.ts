import { RetryableError } from '#core/errors';
import { type Change, NO_COUNTS, type Run, type RunCounts } from '#core/gating/audit';
import type { Progress } from '#core/gating/executor';
import type { Community } from '#core/gating/rule';
import type { Runner, RunnerOptions } from '#core/gating/runner';
import type { Lease } from '#core/work/replica';

/** What can be done about a run once it was begun: going on with it, saying yes to it, undoing it. */
export class Aftermath {
  readonly #runner: Runner;
  readonly #options: Pick<RunnerOptions, 'store' | 'keeperOf' | 'now'>;

  constructor(runner: Runner, options: Pick<RunnerOptions, 'store' | 'keeperOf' | 'now'>) {
    this.#runner = runner;
    this.#options = options;
  }

  /**
   * Goes on with a run that a restart, the end of another replica or the platform has cut off,
   * unless somebody is at it. What is left to be taken goes through the brake again: it may have
   * been cut off before anybody was asked.
   */
  async resume({ id, community }: Run): Promise<void> {
    await this.#runner.alone(community, async (lease) => {
      // It may have come to its end before we had the claim.
      const open = await this.#options.store.openRuns();
      const run = open.find((each) => each.id === id);
      if (run !== undefined) await this.#resume(run, lease);
    });
  }

  async #resume(run: Run, lease: Lease): Promise<void> {
    const { store } = this.#options;
    const keeper = this.#options.keeperOf(run.community.platform);
    if (keeper === undefined) return;
    const rules = await this.#runner.activeRules(run.community);
    const undoing = run.cause === 'undo';
    const basis = undoing ? undefined : await this.#runner.planner.basis(run.community, rules);
    const progress = progressOf(run.counts);
    const all = undoing ? await store.rulesOf(run.community) : rules;
    const takes = undoing ? [] : await this.#takesLeft(run);
    const isHeld = await this.#runner.isTooMany(run, takes);
    const steps = isHeld ? (['give'] as const) : (['give', 'take'] as const);
    await this.#runner.execute(run, keeper, all, steps, basis, progress, lease);
    if (lease.signal.aborted) return;
    const counts = { ...run.counts, ...progress, held: isHeld ? takes.length : 0 };
    await this.#runner.end(run, isHeld ? 'held' : 'finished', counts);
  }

  async #takesLeft(run: Run): Promise<Change[]> {
    const { store } = this.#options;
    const left: Change[] = [];
    for (const status of ['begun', 'planned'] as const) {
      left.push(...(await store.changesOf(run.id, status, -1, Number.MAX_SAFE_INTEGER)));
    }
    return left.filter(({ step }) => step === 'take');
  }

  /**
   * Takes what the brake has held, as far as it still applies.
   * @returns undefined if somebody else has said yes already, or another run is under way
   */
  async confirm(run: Run, by: string): Promise<RunCounts | undefined> {
    return await this.#runner.alone(run.community, (lease) => this.#confirm(run, by, lease));
  }

  async #confirm(run: Run, by: string, lease: Lease): Promise<RunCounts | undefined> {
    const { store, now } = this.#options;
    const keeper = this.#options.keeperOf(run.community.platform);
    if (keeper === undefined) throw new RetryableError('The platform is not connected.');
    const { community } = run;
    if (!(await store.confirmRun(run.id))) return undefined;
    await store.audit([
      {
        at: now(),
        community,
        event: 'confirmed',
        run: run.id,
        rule: undefined,
        account: undefined,
        by,
        detail: '',
      },
    ]);
    const rules = await this.#runner.activeRules(community);
    const basis = await this.#runner.planner.basis(community, rules);
    const progress = progressOf(run.counts);
    await this.#runner.execute({ ...run, by }, keeper, rules, ['take'], basis, progress, lease);
    const counts = { ...run.counts, ...progress, held: 0 };
    if (!lease.signal.aborted) await this.#runner.end(run, 'finished', counts);
    return counts;
  }

  /**
   * Puts back everything that the last run changed, and pauses its rules, which would do it again.
   * @returns undefined when there is nothing to undo
   */
  async undo(community: Community, by: string): Promise<RunCounts | undefined> {
    return await this.#runner.alone(community, (lease) => this.#undo(community, by, lease));
  }

  async #undo(community: Community, by: string, lease: Lease): Promise<RunCounts | undefined> {
    const { store } = this.#options;
    const keeper = this.#options.keeperOf(community.platform);
    if (keeper === undefined) throw new RetryableError('The platform is not connected.');
    const found = await this.#lastDone(community);
    if (found === undefined) return undefined;
    const { last, done } = found;
    const run = this.#runner.newRun(community, 'undo', by, 'running');
    if (!(await store.beginRun(run))) return undefined;
    const touched = new Set(done.map(({ rule }) => rule));
    const rules = await store.rulesOf(community);
    for (const rule of rules) {
      if (touched.has(rule.id)) await store.pauseRule(community, rule.id, rule.paused ?? 'undo');
    }
    await store.planChanges(
      done.toReversed().map((change, number) => ({
        ...change,
        number,
        run: run.id,
        step: change.step === 'give' ? 'take' : 'give',
        status: 'planned',
        reason: `undo of run ${last.id}`,
      })),
    );
    const progress: Progress = { given: 0, taken: 0, refused: 0 };
    const soFar = { ...NO_COUNTS, members: done.length, planned: done.length };
    const steps = ['give', 'take'] as const;
    const counted = { ...run, counts: soFar };
    await this.#runner.execute(counted, keeper, rules, steps, undefined, progress, lease);
    const counts = { ...soFar, ...progress };
    if (lease.signal.aborted) return counts;
    await this.#runner.end(run, 'finished', counts);
    await this.#runner.end(last, 'undone', last.counts);
    return counts;
  }

  async #lastDone(community: Community): Promise<{ last: Run; done: Change[] } | undefined> {
    const { store } = this.#options;
    for (const last of await store.runsOf(community, 50)) {
      if (last.status === 'running') return undefined;
      if (last.cause === 'undo' || last.status === 'undone') continue;
      const done: Change[] = [];
      for (let after = -1; ; ) {
        const page = await store.changesOf(last.id, 'done', after, 1_000);
        done.push(...page);
        if (page.length === 0) break;
        after = page.at(-1)?.number ?? after;
      }
      if (done.length > 0) return { last, done };
    }
    return undefined;
  }
}

function progressOf({ given, taken, refused }: RunCounts): Progress {
  return { given, taken, refused };
}
