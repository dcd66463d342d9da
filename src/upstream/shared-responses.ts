import { hash } from 'node:crypto';
import { RetryableError } from '#base';
import type { SharedAnswers } from '#cluster';
import {
  type CachedResponse,
  MOST_FRESH_MS,
  MOST_REVALIDATE_MS,
  toCachedResponse,
  UNSEEN_MS,
} from './response-cache.ts';
import {
  booleanIn,
  formIn,
  InvalidResponseError,
  integerIn,
  optionalInteger,
  recordOf,
  type UpstreamQuery,
} from './response-fields.ts';
import { readResponseHints } from './response-hints.ts';

/** Most characters we read: slightly more than the shared cache accepts. */
const MOST_TEXT = 1024 * 1024;
/** How far apart the clocks of two replicas may be before they can't use each other's entries. */
const SKEW_MS = 10_000;
const MOST_AGE_MS = 24 * 3600 * 1000;
/** Valid as a header value, because we send it as one. */
const ETAG = /^[\x20-\x7e\x80-\xff]{1,1000}$/;
const NO_HINTS = readResponseHints({});

/** A response that another replica fetched. */
export interface SharedResponse {
  readonly entry: CachedResponse;
  /** The upstream's body; undefined if it has no activity of the wallet. */
  readonly text: string | undefined;
}

export interface SharedResponsesOptions {
  readonly answers: SharedAnswers;
  /** URL of the upstream: others may share the same cache. */
  readonly url: string;
  /** Milliseconds of this process's monotonic clock. */
  readonly now: () => number;
  /** Milliseconds since 1970, roughly equal on all replicas. */
  readonly clock: () => number;
}

/**
 * Shares fetched responses between replicas. Stores the raw body and validates it on reading like
 * any upstream response, because others may write to the cache too.
 */
export class SharedResponses {
  readonly #options: SharedResponsesOptions;

  constructor(options: SharedResponsesOptions) {
    this.#options = options;
  }

  /** @returns undefined if there is no valid entry */
  async get<T>(query: UpstreamQuery<T>): Promise<SharedResponse | undefined> {
    const text = await this.#options.answers.get(this.#keyOf(query));
    if (text === undefined || text.length > MOST_TEXT) return undefined;
    try {
      return this.#read(query, recordOf(JSON.parse(text), 'the shared entry'));
    } catch (error) {
      const isExpected =
        error instanceof InvalidResponseError ||
        error instanceof SyntaxError ||
        error instanceof RetryableError;
      if (isExpected) return undefined;
      throw error;
    }
  }

  /** @param text the body that the entry was parsed from; undefined for "no activity" */
  async put<T>(
    query: UpstreamQuery<T>,
    entry: CachedResponse,
    text: string | undefined,
  ): Promise<void> {
    const { answers, now, clock } = this.#options;
    const time = now();
    const { etag, dataTime, isStale, isPartial, freshUntil, revalidateUntil, trueAt } = entry;
    const lasts = Math.round(revalidateUntil - time);
    if (lasts <= 0) return;
    const shared = {
      at: Math.round(clock()),
      age: Math.max(0, Math.round(time - trueAt)),
      fresh: Math.max(0, Math.round(freshUntil - time)),
      lasts,
      isStale,
      isPartial,
      ...(etag !== undefined && { etag }),
      ...(dataTime !== undefined && { dataTime }),
      ...(text !== undefined && { text }),
    };
    await answers.set(this.#keyOf(query), JSON.stringify(shared), lasts);
  }

  #keyOf({ path }: Pick<UpstreamQuery<unknown>, 'path'>): string {
    return `upstream:${hash('sha256', `${this.#options.url}\n${path}`)}`;
  }

  /** @throws InvalidResponseError, SyntaxError, RetryableError if the entry is invalid */
  #read<T>(query: UpstreamQuery<T>, from: Readonly<Record<string, unknown>>): SharedResponse {
    const text = from.text === undefined ? undefined : textIn(from.text);
    const isSeen = text !== undefined;
    const since = this.#options.clock() - integerIn(from, 'at', 0);
    if (since < -SKEW_MS) throw new InvalidResponseError('it was stored in the future');
    // A clock that runs behind must not make an entry younger than it was.
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
      ...toCachedResponse(query, outcome, undefined, now),
      isStale: booleanIn(from, 'isStale'),
      isPartial: booleanIn(from, 'isPartial'),
      trueAt: now - age,
      freshUntil: now + fresh - passed,
      revalidateUntil: now + lasts - passed,
    };
    return { entry, text };
  }
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new InvalidResponseError('text is not a string');
}

function within(figure: number, most: number): number {
  if (figure <= most) return figure;
  throw new InvalidResponseError(`${figure} is more than ${most}`);
}
