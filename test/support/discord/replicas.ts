import { onTestFinished } from 'vitest';
import { RetryableError } from '#core/errors';
import type { InboxStore } from '#core/work/inbox';
import { MemoryWork } from '#core/work/memory-work';
import type { WorkStore } from '#core/work/store';
import type { DiscordOptions } from '#platforms/discord/adapter';

/** After so much silence a replica of these counts as dead; much shorter than in earnest. */
const DEAD_AFTER_SECONDS = 0.5;
const BEAT_MS = 50;

/** Forgets what it received, so that nothing but Discord keeps an answer from being given twice. */
const forgetful: InboxStore = {
  receive: () => true,
  isHeld: () => true,
  settle: () => undefined,
  takeOver: () => [],
};

/** One of several that share a store. */
export interface TestReplica {
  readonly options: Pick<DiscordOptions, 'replica'>;
  /** Whether the store is out of reach for this one. */
  isCut: boolean;
  /** Whether it knows that the others still reach it. */
  isAlone: boolean;
  /** The claims for which it has asked the store. */
  readonly asked: Set<string>;
}

/** The store of replicas that live in this very process. */
export class TestFleet {
  readonly work: WorkStore = new MemoryWork(Date.now, DEAD_AFTER_SECONDS);
  /** The claims that replicas were given when they asked, and when that was; the oldest first. */
  readonly #grants: { readonly claim: string; readonly at: number }[] = [];

  /** Milliseconds between one time that a claim was given to a replica and the next. */
  apart(claim: string): number[] {
    const times = this.#grants.filter((each) => each.claim === claim).map(({ at }) => at);
    return times.slice(1).map((at, i) => at - (times[i] ?? at));
  }

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
          isCutOff: () => replica.isAlone,
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
