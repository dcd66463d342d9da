import { RetryableError } from '#core/errors';
import type { MaybePromise, Reading, ReputationSource, Urgency } from '#core/ports';
import type { Wallet } from '#core/wallet';
import type { Asker, Outcome } from './asker.ts';
import type { AnswerCache, Entry } from './cache.ts';
import { entryOf } from './entry.ts';
import { KnownWallets } from './known-wallets.ts';
import type { Question } from './question.ts';
import { UpstreamReading } from './reading.ts';

/** What is older than this is not shown, however long the upstream is away. */
const KEPT_MS = 24 * 3600 * 1000;
/** How long one who has nothing to see waits in all, and one who could see something old. */
const PATIENCE_MS: Record<Urgency, number> = { interactive: 5_000, background: 60_000 };
const SHORT_PATIENCE_MS = 1_500;

/** A question that is under way, for all who ask it. */
interface Flight {
  readonly entry: Promise<Entry>;
  hurry(): void;
}

export interface SourceOptions {
  readonly asker: Pick<Asker, 'ask' | 'trouble' | 'isHeldUp' | 'doubt'>;
  readonly cache: AnswerCache;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Answers with what another instance says, or said not long ago. */
export class UpstreamSource implements ReputationSource {
  readonly #options: SourceOptions;
  readonly #flights = new Map<string, Flight>();
  readonly #known = new KnownWallets();

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  reading(urgency: Urgency = 'interactive'): Reading {
    return new UpstreamReading((question, reading) => this.#answer(question, urgency, reading));
  }

  recognise(text: string): Wallet | undefined {
    return this.#known.get(text);
  }

  /** Answers at once where that is right, else asks. @throws RetryableError */
  #answer<T>(
    question: Question<T>,
    urgency: Urgency,
    reading: UpstreamReading,
  ): MaybePromise<T | undefined> {
    const { cache, now, asker } = this.#options;
    const entry = cache.get(question.path);
    const time = now();
    if (entry !== undefined) {
      if (time < entry.freshUntil) return reading.note<T>(entry, time, false);
      const isKept = entry.record !== undefined && time - entry.trueAt < KEPT_MS;
      if (isKept && (time < entry.revalidateUntil || asker.isHeldUp)) {
        this.#fetch(question, 'background').entry.catch(() => undefined);
        const isStale = asker.trouble !== undefined || time >= entry.revalidateUntil;
        return reading.note<T>(entry, time, isStale);
      }
      if (isKept) return this.#askOrShow(question, urgency, reading, entry);
    }
    return this.#ask(question, urgency, reading, PATIENCE_MS[urgency]);
  }

  async #askOrShow<T>(
    question: Question<T>,
    urgency: Urgency,
    reading: UpstreamReading,
    entry: Entry,
  ): Promise<T | undefined> {
    try {
      return await this.#ask(question, urgency, reading, SHORT_PATIENCE_MS);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      return reading.note<T>(entry, this.#options.now(), true);
    }
  }

  async #ask<T>(
    question: Question<T>,
    urgency: Urgency,
    reading: UpstreamReading,
    patienceMs: number,
  ): Promise<T | undefined> {
    const { entry } = this.#fetch(question, urgency);
    const fresh = await within(entry, patienceMs);
    return reading.note<T>(fresh, this.#options.now(), false);
  }

  /** Asks, unless that is being done already. */
  #fetch<T>(question: Question<T>, urgency: Urgency): Flight {
    const { path } = question;
    const flying = this.#flights.get(path);
    if (flying !== undefined) {
      if (urgency === 'interactive') flying.hurry();
      return flying;
    }
    const { asker, cache } = this.#options;
    const before = cache.get(path);
    const ticket = asker.ask(path, before?.etag, urgency, PATIENCE_MS[urgency] * 0.8);
    const entry = ticket.result
      .then((outcome) => {
        const fresh = this.#entryOf(question, outcome, before);
        cache.set(path, fresh);
        if (question.wallet !== undefined && fresh.record !== undefined) {
          this.#known.add(question.wallet);
        }
        return fresh;
      })
      .finally(() => this.#flights.delete(path));
    // Those who wait are told; a background question may have nobody who does.
    entry.catch(() => undefined);
    const flight: Flight = { entry, hurry: ticket.hurry };
    this.#flights.set(path, flight);
    return flight;
  }

  #entryOf<T>(question: Question<T>, outcome: Outcome, before: Entry | undefined): Entry {
    try {
      return entryOf(question, outcome, before, this.#options.now());
    } catch (error) {
      if (error instanceof RetryableError) this.#options.asker.doubt(error.message);
      throw error;
    }
  }
}

/** @throws RetryableError when the time is over first; the work goes on */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new RetryableError('The source takes too long to answer.', { retryAfter: 5 }));
  }, ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
