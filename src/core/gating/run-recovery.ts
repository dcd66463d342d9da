import type { Run } from '#core/gating/audit';
import type { Passes } from '#core/gating/passes';
import type { Community } from '#core/gating/rule';
import type { RunBook } from '#core/gating/run-book';
import type { GateStore } from '#core/gating/store';
import type { Undoing } from '#core/gating/undoing';

export interface RunRecoveryOptions {
  readonly store: GateStore;
  readonly book: RunBook;
  readonly passes: Passes;
  readonly undoing: Undoing;
}

/**
 * Goes on with runs that a restart, the end of another replica or the platform has cut off. What is left
 * to be taken goes through the brake again: it may have been cut off before anybody was asked.
 */
export class RunRecovery {
  readonly #options: RunRecoveryOptions;

  constructor(options: RunRecoveryOptions) {
    this.#options = options;
  }

  /** Goes on with what is open in a community. @returns whether anything is open still */
  async resumeIn(community: Community): Promise<boolean> {
    const { book } = this.#options;
    for (const run of await book.openIn(community)) await this.resume(run);
    return (await book.openIn(community)).length > 0;
  }

  /** Goes on with a run, unless somebody is at it. */
  async resume({ id, community }: Run): Promise<void> {
    const { store, book, passes, undoing } = this.#options;
    await book.alone(community, async (lease) => {
      // It may have come to its end before we had the claim.
      const record = (await store.openRuns()).find((each) => each.id === id);
      if (record?.cause === 'undo') await undoing.goOn(record, lease);
      else {
        const run = record && book.resume(record, lease);
        if (run !== undefined) await passes.carryOut(run);
      }
    });
  }
}
