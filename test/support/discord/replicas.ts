import { onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import type { InboxStore } from '#cluster/inbox';
import { MemoryWork } from '#cluster/memory-work';
import type { WorkStore } from '#cluster/store';
import type { DiscordOptions } from '#platforms/discord/bot';

/** After this long without a heartbeat a replica counts as dead; much shorter than in production. */
const DEAD_AFTER_SECONDS = 0.5;
const BEAT_MS = 50;

/** Forgets what it received, so that only Discord prevents a second answer. */
const forgetful: InboxStore = {
  receive: () => true,
  isHeld: () => true,
  settle: () => undefined,
  takeOver: () => [],
  waiting: () => [],
};

/** One of several replicas that share a store. */
export interface TestReplica {
  readonly options: Pick<DiscordOptions, 'replica'>;
  /** Whether the store is unreachable for this one. */
  isCut: boolean;
  /** Whether it knows that the others can still reach it. */
  isAlone: boolean;
  /** The claims that it has tried to acquire. */
  readonly asked: Set<string>;
}

/** A store of replicas in this process. */
export class TestFleet {
  readonly work: WorkStore = new MemoryWork(Date.now, DEAD_AFTER_SECONDS);
  /** When claims were granted, oldest first. */
  readonly #grants: { readonly claim: string; readonly at: number }[] = [];

  /** The milliseconds between consecutive grants of a claim. */
  apart(claim: string): number[] {
    const times = this.#grants.filter((each) => each.claim === claim).map(({ at }) => at);
    return times.slice(1).map((at, i) => at - (times[i] ?? at));
  }

  /** A replica that stays alive until the test ends. */
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
          leavesToOthers: () => replica.isAlone,
          inbox: forgetful,
          work: {
            beat: (...given) => ask(() => work.beat(...given)),
            hold: (claim, by) => {
              replica.asked.add(claim);
              return ask(async () => {
                const isHeld = await work.hold(claim, by);
                if (isHeld) this.#grants.push({ claim, at: performance.now() });
                return isHeld;
              });
            },
            release: (...given) => ask(() => work.release(...given)),
          },
        },
      },
      isCut: false,
      isAlone: false,
      asked: new Set(),
    };
    void work.beat(id);
    const beating = setInterval(() => {
      if (!replica.isCut) void work.beat(id);
    }, BEAT_MS);
    onTestFinished(() => clearInterval(beating));
    return replica;
  }
}
