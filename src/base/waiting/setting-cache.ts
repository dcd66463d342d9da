import { BoundedMap } from '#base/bounded-map';
import type { MaybePromise } from '#base/maybe-promise';
import { monotonicMs } from '#base/time/clock';
import { within } from './waits.ts';

/** How long a setting is cached, so how late other replicas' changes show. */
const FRESH_MS = 5_000;
/** How long an answer waits for a setting. */
const PATIENCE_MS = 500;
const MOST = 10_000;

export interface SettingCacheOptions {
  /** Called when a setting can't be read; the last known one counts. */
  readonly onError: (error: unknown) => void;
  /** For tests: monotonic milliseconds. */
  readonly clock?: (() => number) | undefined;
  readonly patienceMs?: number | undefined;
}

/** Settings that many answers need: none waits long for one, or fails for want of it. */
export class SettingCache<T> {
  readonly #options: SettingCacheOptions;
  readonly #kept = new BoundedMap<string, { readonly value: T; readonly until: number }>(MOST);

  constructor(options: SettingCacheOptions) {
    this.#options = options;
  }

  /** @returns undefined if it isn't known in time */
  async of(key: string, read: () => MaybePromise<T>): Promise<T | undefined> {
    const before = this.#kept.get(key);
    if (before !== undefined && this.#now() < before.until) return before.value;
    const work = (async () => {
      const value = await read();
      // Unless it was changed meanwhile.
      if (this.#kept.get(key) === before) this.keep(key, value);
      return { value };
    })();
    return ((await this.soon(work)) ?? before)?.value;
  }

  /** Replaces a setting that has just been changed. */
  keep(key: string, value: T): void {
    this.#kept.set(key, { value, until: this.#now() + FRESH_MS });
  }

  /** The result of optional work, if it's there soon. */
  async soon<R>(work: Promise<R>): Promise<R | undefined> {
    const safe = work.catch((error: unknown) => {
      this.#options.onError(error);
      return undefined;
    });
    return await within(safe, this.#options.patienceMs ?? PATIENCE_MS);
  }

  #now(): number {
    return (this.#options.clock ?? monotonicMs)();
  }
}
