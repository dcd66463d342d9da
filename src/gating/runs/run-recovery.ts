import type { Run } from '#gating/reports/audit';
import type { Community } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import type { Undoing } from '#gating/undo/undoing';
import type { Passes } from './passes.ts';
import type { RunRegistry } from './run-registry.ts';

export interface RunRecoveryOptions {
  readonly store: GateStore;
  readonly runs: RunRegistry;
  readonly passes: Passes;
  readonly undoing: Undoing;
}

/**
 * Resumes runs interrupted by a restart, by another replica's end or by the platform. Remaining
 * removals pass the removal limit again: the interruption may have come before anyone was asked.
 */
export class RunRecovery {
  readonly #options: RunRecoveryOptions;

  constructor(options: RunRecoveryOptions) {
    this.#options = options;
  }

  /** Resumes open runs of a community. @returns whether any is still open */
  async resumeIn(community: Community): Promise<boolean> {
    const { runs } = this.#options;
    const open = await runs.openIn(community);
    for (const run of open) await this.resume(run);
    return open.length > 0 && (await runs.openIn(community)).length > 0;
  }

  /** Resumes a run, unless somebody else is running it. */
  async resume({ id, community }: Run): Promise<void> {
    const { store, runs, passes, undoing } = this.#options;
    await runs.alone(community, async (lease) => {
      // It may have ended before we got the claim.
      const record = (await store.openRuns()).find((each) => each.id === id);
      if (record?.cause === 'undo') await undoing.goOn(record, lease);
      else {
        const run = record && runs.resume(record, lease);
        if (run !== undefined) await passes.carryOut(run);
      }
    });
  }
}
