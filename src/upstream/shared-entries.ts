import { hash } from 'node:crypto';
import { RetryableError } from '#core/errors';
import type { SharedAnswers } from '#core/shared-answers';
import type { Entry } from './cache.ts';
import { entryOf, MOST_FRESH_MS, MOST_REVALIDATE_MS, UNSEEN_MS } from './entry.ts';
import { booleanIn, formIn, integerIn, optionalInteger, recordOf, Unbelievable } from './fields.ts';
import { readHints } from './hints.ts';
import type { Question } from './question.ts';

/** Characters of what is read: somewhat more than the shared cache takes. */
const MOST_TEXT = 1024 * 1024;
/** How far the clocks of two replicas may be apart before what one says is no use to the other. */
const SKEW_MS = 10_000;
const MOST_AGE_MS = 24 * 3600 * 1000;
/** As a header may hold it: it goes on as one. */
const ETAG = /^[\x20-\x7e\x80-\xff]{1,1000}$/;
const NO_HINTS = readHints({});

/** An answer that a replica left. */
export interface SharedEntry {
  readonly entry: Entry;
  /** The upstream's body; undefined when it has never seen the wallet. */
  readonly text: string | undefined;
}

export interface SharedEntriesOptions {
  readonly answers: SharedAnswers;
  /** Of the upstream: others may share the same cache. */
  readonly url: string;
  /** Milliseconds of a monotonic clock, which only this process knows. */
  readonly now: () => number;
  /** Milliseconds since 1970, which all replicas know about equally well. */
  readonly clock: () => number;
}

/**
 * What one replica has fetched, for the others. It is the body itself that is shared, and what is read
 * is believed no more than if the upstream had said it: others may write there too.
 */
export class SharedEntries {
  readonly #options: SharedEntriesOptions;

  constructor(options: SharedEntriesOptions) {
    this.#options = options;
  }

  /** @returns undefined when there is none that could be believed */
  async get<T>(question: Question<T>): Promise<SharedEntry | undefined> {
    const text = await this.#options.answers.get(this.#keyOf(question));
    if (text === undefined || text.length > MOST_TEXT) return undefined;
    try {
      return this.#read(question, recordOf(JSON.parse(text), 'what is shared'));
    } catch (error) {
      const isExpected =
        error instanceof Unbelievable ||
        error instanceof SyntaxError ||
        error instanceof RetryableError;
      if (isExpected) return undefined;
      throw error;
    }
  }

  /** @param text the body that the entry was read from; undefined for "never seen" */
  async put<T>(question: Question<T>, entry: Entry, text: string | undefined): Promise<void> {
    const { answers, now, clock } = this.#options;
    const time = now();
    const { etag, dataTime, isStale, freshUntil, revalidateUntil, trueAt } = entry;
    const lasts = Math.round(revalidateUntil - time);
    if (lasts <= 0) return;
    const shared = {
      at: Math.round(clock()),
      age: Math.max(0, Math.round(time - trueAt)),
      fresh: Math.max(0, Math.round(freshUntil - time)),
      lasts,
      isStale,
      ...(etag !== undefined && { etag }),
      ...(dataTime !== undefined && { dataTime }),
      ...(text !== undefined && { text }),
    };
    await answers.set(this.#keyOf(question), JSON.stringify(shared), lasts);
  }

  #keyOf({ path }: Pick<Question<unknown>, 'path'>): string {
    return `upstream:${hash('sha256', `${this.#options.url}\n${path}`)}`;
  }

  /** @throws Unbelievable, SyntaxError, RetryableError for what can't be believed */
  #read<T>(question: Question<T>, from: Readonly<Record<string, unknown>>): SharedEntry {
    const text = from.text === undefined ? undefined : textIn(from.text);
    const isSeen = text !== undefined;
    const since = this.#options.clock() - integerIn(from, 'at', 0);
    if (since < -SKEW_MS) throw new Unbelievable('it was shared in the future');
    // A clock that goes after must not make anything younger than it was.
    const passed = Math.max(0, since);
    const age = within(integerIn(from, 'age', 0) + passed, MOST_AGE_MS);
    const fresh = within(integerIn(from, 'fresh', 0), isSeen ? MOST_FRESH_MS : UNSEEN_MS);
    const longest = isSeen ? MOST_FRESH_MS + MOST_REVALIDATE_MS : UNSEEN_MS;
    const lasts = within(integerIn(from, 'lasts', 0), longest);
    const etag = from.etag === undefined ? undefined : formIn(from, 'etag', ETAG);
    const hints = { ...NO_HINTS, etag, dataTime: optionalInteger(from, 'dataTime') };
    const now = this.#options.now();
    const outcome = isSeen
      ? ({ kind: 'body', json: JSON.parse(text), text, hints } as const)
      : ({ kind: 'unseen', hints } as const);
    const entry = {
      ...entryOf(question, outcome, undefined, now),
      isStale: booleanIn(from, 'isStale'),
      trueAt: now - age,
      freshUntil: now + fresh - passed,
      revalidateUntil: now + lasts - passed,
    };
    return { entry, text };
  }
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Unbelievable('text is no text');
}

function within(figure: number, most: number): number {
  if (figure <= most) return figure;
  throw new Unbelievable(`${figure} is more than ${most}`);
}
