import { BusyError } from '#base';
import type { Lease, Replica } from '#cluster';
import type { CommunityAdapter } from '#gating/community-adapter';
import { auditRow, type Run } from '#gating/reports/audit';
import { type Community, isSame } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import { communityClaim } from './claims.ts';
import { ActiveRun, newRun } from './run.ts';

export interface RunRegistryOptions {
  readonly store: GateStore;
  readonly replica: Pick<Replica, 'during' | 'inTurn'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Eight lower-case letters and digits, random. */
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

/** Begins and resumes runs, each alone in its community. */
export class RunRegistry {
  readonly #options: RunRegistryOptions;

  constructor(options: RunRegistryOptions) {
    this.#options = options;
  }

  /** Runs `work` while nobody else runs over the community. @returns undefined if somebody does */
  async alone<T>(community: Community, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    return await this.#options.replica.during(communityClaim(community), (lease) =>
      work(this.#until(lease)),
    );
  }

  /** Like `alone`, but waits its turn, however long that takes. @throws BusyError at the end */
  async whenFree<T>(community: Community, work: (lease: Lease) => Promise<T>): Promise<T> {
    const { replica, signal } = this.#options;
    for (;;) {
      try {
        return await replica.inTurn(communityClaim(community), signal, (lease) =>
          work(this.#until(lease)),
        );
      } catch (error) {
        if (!(error instanceof BusyError) || signal.aborted) throw error;
      }
    }
  }

  /** @returns undefined if there is no platform, or an open run waits to be resumed */
  async begin(
    community: Community,
    cause: Run['cause'],
    by: string | undefined,
    lease: Lease,
  ): Promise<ActiveRun | undefined> {
    const { store, newId, now } = this.#options;
    const record = newRun(newId(), community, cause, by, now());
    const run = this.#active(record, false, lease);
    return run !== undefined && (await store.beginRun(record)) ? run : undefined;
  }

  /**
   * Records that a run is to be undone, before anything waits.
   * @param isNamed whether the moderator has named it
   */
  async queueUndo(undoes: Run, by: string, isNamed: boolean): Promise<Run> {
    const { store, newId, now } = this.#options;
    const run = newRun(newId(), undoes.community, 'undo', by, now());
    const confirmedBy = isNamed ? by : undefined;
    const queued: Run = { ...run, status: 'queued', undoes: undoes.id, confirmedBy };
    await store.beginRun(queued);
    return queued;
  }

  /** @returns undefined if there is no platform */
  resume(record: Run, lease: Lease): ActiveRun | undefined {
    return this.#active(record, true, lease);
  }

  /** Open runs of all processes. */
  async openIn(community: Community): Promise<readonly Run[]> {
    const open = await this.#options.store.openRuns();
    return open.filter((run) => isSame(run.community, community));
  }

  /**
   * Asks active runs to stop before their next change.
   * @param isUndoSpared whether undos continue
   * @returns those that will stop
   */
  async stop(community: Community, by: string, isUndoSpared = false): Promise<readonly Run[]> {
    const { store, now } = this.#options;
    const ending: Run[] = [];
    for (const run of await this.openIn(community)) {
      const { id, cause, stoppedBy } = run;
      if ((isUndoSpared && cause === 'undo') || !(await store.stopRun(id, by))) continue;
      ending.push(run);
      if (stoppedBy !== undefined) continue;
      await store.audit([auditRow(now(), community, 'stopped', { run: id, by })]);
    }
    return ending;
  }

  adapterOf({ platform }: Community): CommunityAdapter | undefined {
    return this.#options.adapterOf(platform);
  }

  /** A lease for work that needs none of its own: it lasts as long as this process. */
  get unclaimed(): Lease {
    return { signal: this.#options.signal, isHeld: async () => true };
  }

  #active(record: Run, isResumed: boolean, lease: Lease): ActiveRun | undefined {
    const { store, now } = this.#options;
    const adapter = this.adapterOf(record.community);
    return adapter && new ActiveRun(record, isResumed, { store, adapter, lease, now });
  }

  #until(lease: Lease): Lease {
    return { ...lease, signal: AbortSignal.any([this.#options.signal, lease.signal]) };
  }
}
