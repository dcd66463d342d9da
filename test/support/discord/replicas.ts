import { onTestFinished } from 'vitest';
import { RetryableError } from '#core/errors';
import type { InboxStore } from '#core/work/inbox';
import { MemoryWork } from '#core/work/memory';
import type { WorkStore } from '#core/work/store';
import type { DiscordOptions } from '#platforms/discord/adapter';

/** After so much silence a replica of these counts as dead; much shorter than in earnest. */
const DEAD_AFTER_SECONDS = 0.5;
const BEAT_MS = 50;

/** Forgets what it received, so that nothing but Discord keeps an answer from being given twice. */
const forgetful: InboxStore = {
  receive: () => true,
  settle: () => undefined,
  takeOver: () => [],
};

/** One of several that share a store. */
export interface TestReplica {
  readonly options: Pick<DiscordOptions, 'replica'>;
  /** Whether the store is out of reach for this one. */
  isCut: boolean;
  /** How often it has asked the store for a claim. */
  holds: number;
}

/** The store of replicas that live in this very process. */
export class TestFleet {
  readonly work: WorkStore = new MemoryWork(Date.now, DEAD_AFTER_SECONDS);

  /** A replica that says that it lives until the test ends. */
  join(id: string): TestReplica {
    const { work } = this;
    const ask = <T>(what: () => T): T => {
      if (replica.isCut) throw new RetryableError('The store is away.');
      return what();
    };
    const replica: TestReplica = {
      options: {
        replica: {
          id,
          inbox: forgetful,
          work: {
            beat: (...given) => ask(() => work.beat(...given)),
            hold: (...given) => {
              replica.holds += 1;
              return ask(() => work.hold(...given));
            },
            release: (...given) => ask(() => work.release(...given)),
          },
        },
      },
      isCut: false,
      holds: 0,
    };
    void work.beat(id);
    const beating = setInterval(() => {
      if (!replica.isCut) void work.beat(id);
    }, BEAT_MS);
    onTestFinished(() => clearInterval(beating));
    return replica;
  }
}
