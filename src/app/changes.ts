import { type Logger, messageOf, monotonicMs, SettledClock, wallMs } from '#base';
import { Upkeep } from '#base/process';
import { sleep } from '#base/waiting';
import type { FeedRetention } from '#reputation';
import type { Store } from '#storage';

/** How often to look for changes to prune. */
const EVERY_MS = 60_000;
/** The pause between two steps, so that other work gets its turn. */
const PAUSE_MS = 100;

/** Prunes the feed of changes to the configured age and size. Any number of replicas may run it. */
export class ChangeUpkeep {
  readonly #upkeep: Upkeep;
  readonly #stopping = new AbortController();

  constructor(store: Pick<Store, 'pruneChanges'>, kept: FeedRetention, log: Logger) {
    const { signal } = this.#stopping;
    // The clock may be wrong from the start: nothing is old before it has shown the same date for an hour.
    const clock = new SettledClock(wallMs, monotonicMs, 0);
    this.#upkeep = new Upkeep({
      everyMs: EVERY_MS,
      async work() {
        while (!signal.aborted && (await store.pruneChanges(kept, clock.now()))) {
          await sleep(PAUSE_MS, signal);
        }
      },
      onError: (error) => {
        log.warn({ error: messageOf(error) }, 'could not remove old changes; trying again later');
      },
    });
  }

  begin(): void {
    void this.#upkeep.begin();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#upkeep.stop();
  }
}
