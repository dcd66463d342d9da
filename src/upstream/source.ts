import { RetryableError } from '#core/errors';
import type { MaybePromise, Reading, ReputationSource, Urgency } from '#core/ports';
import type { Wallet } from '#core/wallet';
import { within } from '#runtime/within';
import type { Asker, Outcome } from './asker.ts';
import type { AnswerCache, Entry } from './cache.ts';
import { entryOf } from './entry.ts';
import { KnownWallets } from './known-wallets.ts';
import type { Question } from './question.ts';
import { isUrgentThan, type Ticket } from './queue.ts';
import { UpstreamReading } from './reading.ts';
import type { SharedEntries, SharedEntry } from './shared-entries.ts';
import type { Timings } from './timings.ts';

/** What is older than this is not shown, however long the upstream is away. */
const KEPT_MS = 24 * 3600 * 1000;
/** How long a question may wait to leave: it must come back before nobody waits any more. */
const LEAVE_MS: Record<Urgency, number> = {
  interactive: 4_000,
  visitor: 4_000,
  background: 48_000,
};

/** A question that is under way, for all who ask it. */
interface Flight {
  readonly entry: Promise<Entry>;
  hurry(urgency: Urgency): void;
}

export interface SourceOptions {
  readonly asker: Pick<Asker, 'ask' | 'trouble' | 'isSuspect' | 'isHeldUp' | 'doubt'>;
  readonly cache: AnswerCache;
  /** What other replicas have fetched. */
  readonly shared: SharedEntries | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly timings: Pick<Timings, 'patienceMs' | 'shortPatienceMs'>;
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
    const { cache, now, asker, timings } = this.#options;
    const entry = cache.get(question.path);
    const time = now();
    if (entry !== undefined) {
      if (time < entry.freshUntil) {
        // Its return is looked for, or what is kept would seem old until its time is over.
        if (asker.isSuspect) this.#fetch(question, 'background');
        return reading.note<T>(entry, time, asker.isSuspect);
      }
      const isKept = isShowable(entry, time);
      if (isKept && (time < entry.revalidateUntil || asker.isHeldUp(urgency))) {
        this.#fetch(question, 'background').entry.catch(() => undefined);
        const isStale = asker.trouble !== undefined || time >= entry.revalidateUntil;
        return reading.note<T>(entry, time, isStale);
      }
      if (isKept) return this.#ask(question, urgency, reading, timings.shortPatienceMs);
    }
    return this.#ask(question, urgency, reading, timings.patienceMs[urgency]);
  }

  /** Asks, and shows what is known if there is no answer. @throws RetryableError */
  async #ask<T>(
    question: Question<T>,
    urgency: Urgency,
    reading: UpstreamReading,
    patienceMs: number,
  ): Promise<T | undefined> {
    const { cache, now, asker } = this.#options;
    try {
      const fresh = await within(this.#fetch(question, urgency).entry, patienceMs, () => {
        throw new RetryableError('The source takes too long to answer.', { retryAfter: 5 });
      });
      // Another replica's may be from before the upstream went away.
      return reading.note<T>(fresh, now(), asker.isSuspect);
    } catch (error) {
      const known = cache.get(question.path);
      if (!(error instanceof RetryableError) || !isShowable(known, now())) throw error;
      return reading.note<T>(known, now(), true);
    }
  }

  /** Gets a newer answer, unless that is being done already. */
  #fetch<T>(question: Question<T>, urgency: Urgency): Flight {
    const { path } = question;
    const flying = this.#flights.get(path);
    if (flying !== undefined) {
      flying.hurry(urgency);
      return flying;
    }
    const asking = new Asking(urgency);
    const entry = this.#answerOf(question, asking).finally(() => this.#flights.delete(path));
    // Those who wait are told; a background question may have nobody who does.
    entry.catch(() => undefined);
    const flight: Flight = { entry, hurry: (more) => asking.hurry(more) };
    this.#flights.set(path, flight);
    return flight;
  }

  /** From another replica if one has it, else from the upstream. */
  async #answerOf<T>(question: Question<T>, asking: Asking): Promise<Entry> {
    const { asker, cache, shared, now } = this.#options;
    const { path } = question;
    const found = shared && (await shared.get(question));
    if (found !== undefined && isNewer(found.entry, cache.get(path))) {
      this.#keep(question, found.entry);
      if (now() < found.entry.freshUntil) return found.entry;
    }
    const before = cache.get(path);
    const outcome = await asking.of((urgency) =>
      asker.ask(path, before?.etag, urgency, LEAVE_MS[urgency]),
    );
    const fresh = this.#entryOf(question, outcome, before);
    this.#keep(question, fresh);
    const text = textOf(outcome, fresh, found);
    if (text !== undefined || outcome.kind === 'unseen') void shared?.put(question, fresh, text);
    return fresh;
  }

  #keep<T>(question: Question<T>, entry: Entry): void {
    this.#options.cache.set(question.path, entry);
    if (question.wallet !== undefined && entry.record !== undefined) {
      this.#known.add(question.wallet);
    }
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

/** The question to the upstream, of which it may be known before that somebody waits for it. */
class Asking {
  #urgency: Urgency;
  #ticket: Pick<Ticket<Outcome>, 'result' | 'hurry'> | undefined;

  constructor(urgency: Urgency) {
    this.#urgency = urgency;
  }

  of(ask: (urgency: Urgency) => Pick<Ticket<Outcome>, 'result' | 'hurry'>): Promise<Outcome> {
    this.#ticket = ask(this.#urgency);
    return this.#ticket.result;
  }

  hurry(urgency: Urgency): void {
    if (!isUrgentThan(urgency, this.#urgency)) return;
    this.#urgency = urgency;
    this.#ticket?.hurry(urgency);
  }
}

/** Whether it may be shown though it is not fresh. "Never seen" may not: it is soon wrong. */
function isShowable(entry: Entry | undefined, time: number): entry is Entry {
  return entry?.record !== undefined && time - entry.trueAt < KEPT_MS;
}

function isNewer(entry: Entry, than: Entry | undefined): boolean {
  return than === undefined || entry.trueAt > than.trueAt;
}

/** The body of an answer; of one that has not changed it is known if another replica has shared it. */
function textOf(
  outcome: Outcome,
  entry: Entry,
  found: SharedEntry | undefined,
): string | undefined {
  if (outcome.kind === 'body') return outcome.text;
  const isSame = outcome.kind === 'unchanged' && found?.entry.revision === entry.revision;
  return isSame ? found?.text : undefined;
}
