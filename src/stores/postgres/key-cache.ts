import { RetryableError } from '#core/errors';
import type { ApiKey, MaybePromise } from '#core/ports';
import { within } from '#runtime/within';

/** How long a key counts as live after it was read, and how long more while nobody answers. */
const FRESH_MS = 5_000;
const AWAY_MS = 60_000;
/** How long a key that is known waits for an answer before Postgres counts as away. */
const PATIENCE_MS = 500;
/** How long it counts as away before the next one waits for it. */
const PAUSE_MS = 1_000;
const MOST_KEPT = 4_096;

interface Kept {
  readonly key: ApiKey;
  /** When it was asked for. */
  readonly readAt: number;
}

/** Live keys by their hash, for every request that bears one asks. Keys that are not live are not kept. */
export class KeyCache {
  readonly #read: (hash: string) => Promise<ApiKey | undefined>;
  readonly #now: () => number;
  readonly #patienceMs: number;
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Map<string, Promise<ApiKey | undefined>>();
  #drops = 0;
  #awayUntil = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds, of a clock that nobody sets */
  constructor(
    read: (hash: string) => Promise<ApiKey | undefined>,
    now: () => number,
    patienceMs = PATIENCE_MS,
  ) {
    this.#read = read;
    this.#now = now;
    this.#patienceMs = patienceMs;
  }

  /** @throws RetryableError for one that is not known well enough while Postgres is away */
  find(hash: string): MaybePromise<ApiKey | undefined> {
    const now = this.#now();
    const kept = this.#kept.get(hash);
    if (kept === undefined || now - kept.readAt >= FRESH_MS + AWAY_MS) return this.#ask(hash);
    if (now - kept.readAt < FRESH_MS || now < this.#awayUntil) return kept.key;
    return this.#askPatiently(hash);
  }

  /** Forgets keys, and what is being read of any. */
  drop(which: (key: ApiKey) => boolean): void {
    this.#drops += 1;
    this.#asked.clear();
    for (const [hash, { key }] of this.#kept) if (which(key)) this.#kept.delete(hash);
  }

  /** All who ask for one key at a time share an answer. */
  #ask(hash: string): Promise<ApiKey | undefined> {
    const asked = this.#asked.get(hash);
    if (asked !== undefined) return asked;
    const [drops, readAt] = [this.#drops, this.#now()];
    const answer = this.#read(hash)
      .then((key) => {
        // It was read before something was dropped, and may be just that.
        if (drops === this.#drops) this.#keep(hash, key, readAt);
        return key;
      })
      .finally(() => {
        if (this.#asked.get(hash) === answer) this.#asked.delete(hash);
      });
    this.#asked.set(hash, answer);
    return answer;
  }

  async #askPatiently(hash: string): Promise<ApiKey | undefined> {
    const answer = this.#ask(hash);
    const inTime = answer.then(
      () => true,
      (error: unknown) => !(error instanceof RetryableError),
    );
    if (await within(inTime, this.#patienceMs)) return answer;
    this.#awayUntil = this.#now() + PAUSE_MS;
    // It may have been dropped meanwhile.
    return this.#kept.get(hash)?.key ?? answer;
  }

  #keep(hash: string, key: ApiKey | undefined, readAt: number): void {
    this.#kept.delete(hash);
    if (key === undefined) return;
    this.#kept.set(hash, { key, readAt });
    if (this.#kept.size <= MOST_KEPT) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }
}
