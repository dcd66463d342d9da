import { type Logger, messageOf, ProblemLogs } from '#base';
import { type DueWork, processDueWork, type Replica } from '#cluster';
import type { Gating } from '#gating/gating';
import { communityOfKey } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';

interface SweepsOptions {
  readonly gating: Pick<Gating, 'sweep'>;
  readonly replica: Pick<Replica, 'takeDue' | 'finish'>;
  /** Changes when the source has newer data; undefined if it doesn't tell. */
  readonly revision: () => string | undefined;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The kind of work that a pass over a community is. */
export const SWEEP = 'sweep';
/** Seconds between two passes over a community, and between two if the data has changed. */
const PASS_EVERY = 1_200;
const PASS_AT_MOST_EVERY = 120;
/** Seconds between checks for changed data. */
const LOOK_EVERY = 60;

/** The record of the last pass over a community, for the replica that makes the next one. */
interface LastPass {
  readonly at: number;
  readonly revision: string | undefined;
}

/** Makes passes over communities from time to time, each by one of the replicas. */
export class Sweeps {
  readonly #options: SweepsOptions;
  readonly #problems: ProblemLogs;
  #running: Promise<void> | undefined;

  constructor(options: SweepsOptions) {
    this.#options = options;
    this.#problems = new ProblemLogs(options.log);
  }

  /** Does all due work that nobody else is doing, one item after the other. */
  run(): Promise<void> {
    const { replica, signal } = this.#options;
    const work = (due: DueWork) => this.#one(due);
    this.#running ??= processDueWork(replica, SWEEP, signal, work).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #one(due: DueWork): Promise<void> {
    const { gating, replica, revision, now, signal } = this.#options;
    const last = lastPassOf(due.state);
    const current = revision();
    const age = now() - (last?.at ?? Number.NEGATIVE_INFINITY);
    const isDue =
      age < 0 || age >= PASS_EVERY || (age >= PASS_AT_MOST_EVERY && last?.revision !== current);
    if (!isDue) {
      await replica.finish(due, LOOK_EVERY, due.state);
      return;
    }
    const pass: LastPass = { at: now(), revision: current };
    let state = JSON.stringify(pass);
    try {
      await gating.sweep(communityOfKey(due.name));
      this.#problems.forget(due.name);
    } catch (error) {
      // One that failed was none: the next one doesn't wait as long.
      state = due.state;
      const fields = { community: due.name, error: messageOf(error) };
      const sentence = 'a gating pass failed; retrying later';
      this.#problems.of(due.name).report(messageOf(error), 'warn', fields, sentence);
    }
    // Interrupted: the next replica starts it over.
    if (!signal.aborted) await replica.finish(due, PASS_AT_MOST_EVERY, state);
  }
}

/** Our own data, though perhaps from another version. */
function lastPassOf(state: string): LastPass | undefined {
  if (state === '') return undefined;
  try {
    const { at, revision } = JSON.parse(state) as Partial<LastPass>;
    return typeof at === 'number' ? { at, revision } : undefined;
  } catch {
    return undefined;
  }
}

interface LeftRunsOptions {
  readonly gating: Pick<Gating, 'resume'>;
  readonly store: Pick<GateStore, 'openRuns'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly replica: Pick<Replica, 'isRetiring'>;
}

/** Runs that a restart or another replica has left unfinished. */
export class LeftRuns {
  readonly #options: LeftRunsOptions;
  /** Runs that couldn't be resumed; they wait for the next tick. */
  readonly #failed = new Set<string>();

  constructor(options: LeftRunsOptions) {
    this.#options = options;
  }

  /** Also resumes those that couldn't be before. */
  async resumeAll(): Promise<void> {
    this.#failed.clear();
    await this.resume();
  }

  /** Leaves active runs to the process that runs them. */
  async resume(): Promise<void> {
    const { gating, store, log, signal, replica } = this.#options;
    for (const run of await store.openRuns()) {
      if (signal.aborted || replica.isRetiring) return;
      if (this.#failed.has(run.id)) continue;
      try {
        await gating.resume(run);
      } catch (error) {
        this.#failed.add(run.id);
        log.warn(
          { run: run.id, error: messageOf(error) },
          'could not resume a gating run; retrying later',
        );
      }
    }
  }
}
