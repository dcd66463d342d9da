import { type Logger, messageOf } from '#base';
import type { Gating } from '#gating/gating';
import type { GateStore } from '#gating/store';

export interface LeftRunsOptions {
  readonly gating: Pick<Gating, 'resume'>;
  readonly store: Pick<GateStore, 'openRuns'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
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

  /** Leaves active runs to whoever runs them. */
  async resume(): Promise<void> {
    const { gating, store, log, signal } = this.#options;
    for (const run of await store.openRuns()) {
      if (signal.aborted) return;
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
