import { type ChangeEntry, isWalletChange, type WalletChange } from './change-types.ts';
import { type Fathom, got } from './client.ts';
import { CursorGoneError, isRetryable } from './errors.ts';
import { millisecondsOf, requireKnown } from './options.ts';
import { commitOf, isBefore, placeOf, waitFor } from './place.ts';
import type { Chain, Leaderboard, Tier } from './types.ts';
import { backoff, sleep } from './waiting.ts';

export interface CopiedWallet {
  readonly chain: Chain;
  readonly score: number;
  readonly tier: Tier;
}

export interface WalletCopyOptions {
  /**
   * Called each time the copy has been filled. If it was filled before, discard what you derived from
   * earlier changes: the service may have lost them.
   */
  readonly onFilled?: () => void;
  /**
   * Milliseconds between taking the cursor and reading the leaderboard. Default: 11,000, since a replica may lag
   * 10 seconds before it reports so, and the leaderboard must not be older than the cursor. Use 0 for a service
   * that runs as one process.
   */
  readonly settle?: number;
}

const PAGE = 500;
const CHANGES = 1_000;
/** How long to wait before reading a stale leaderboard again, and how often to. */
const STALE_WAIT_MS = 5_000;
/** A browser's cache may be older than the cursor, and no change would tell what's missing. */
const CURRENT = { cache: 'no-cache' } as const;

/** Asks the service for something. */
type Ask = <T>(work: () => Promise<T>) => Promise<T>;

/** How far the leaderboard has been read. */
interface Filling {
  /** All changes up to here are in the copy. */
  cursor: string;
  /** All unchanged wallets above this place are in the copy. */
  known: number;
  /** How far above it the next page begins. */
  overlap: number;
  /** Wallets for which the changes are newer than the leaderboard. */
  readonly changed: Set<string>;
}

/** An in-memory copy of all scores, kept up to date with the service. */
export class WalletCopy {
  /** By address. */
  readonly wallets = new Map<string, CopiedWallet>();
  readonly #fathom: Fathom;
  readonly #settle: number;
  readonly #onFilled: (() => void) | undefined;
  #cursor: string | undefined;
  #filling: Filling | undefined;

  /** @throws TypeError if there is no such option; RangeError if `settle` is no number of milliseconds */
  constructor(fathom: Fathom, options: WalletCopyOptions = {}) {
    requireKnown(options, ['onFilled', 'settle']);
    const { settle = 11_000, onFilled } = options;
    this.#fathom = fathom;
    this.#settle = millisecondsOf('settle', settle, 0);
    this.#onFilled = onFilled;
  }

  /** The copy includes everything up to this cursor; undefined until it's filled. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Fills the copy, then keeps it up to date, and yields each change once the copy includes it. While the
   * service is unavailable, it waits. If the service no longer knows the cursor, the copy is filled again.
   */
  async *keep(signal?: AbortSignal): AsyncGenerator<ChangeEntry> {
    const ask: Ask = (work) => patiently(work, signal);
    for (;;) {
      try {
        signal?.throwIfAborted();
        if (this.#cursor === undefined) await this.#fill(ask, signal);
        const from = { after: this.#cursor };
        for await (const entry of this.#fathom.follow(from, callOf(signal))) {
          this.#apply(entry);
          this.#cursor = entry.cursor;
          yield entry;
        }
      } catch (error) {
        if (!(error instanceof CursorGoneError)) throw error;
        this.#cursor = undefined;
        this.#filling = undefined;
      }
    }
  }

  /**
   * Reads the leaderboard, and the changes made meanwhile. Call it again after an error that `isRetryable`:
   * it goes on where it stopped.
   * @throws FathomError, ConnectionError
   */
  async fill(signal?: AbortSignal): Promise<void> {
    try {
      await this.#fill((work) => work(), signal);
    } catch (error) {
      if (error instanceof CursorGoneError) this.#filling = undefined;
      throw error;
    }
  }

  /** The digest of the copy, to compare with that of `/v1/provenance`. */
  async digest(): Promise<string> {
    const lines = [...this.wallets].map(([address, { score }]) => `${address} ${score}\n`);
    // Addresses are ASCII, so this is their byte order.
    const bytes = new TextEncoder().encode(lines.sort(byAddress).join(''));
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  async #fill(ask: Ask, signal: AbortSignal | undefined): Promise<void> {
    this.#filling ??= await this.#begin(ask, signal);
    const filling = this.#filling;
    for (;;) {
      const { known, overlap, cursor } = filling;
      const offset = Math.max(0, known - overlap);
      const { leaderboard, total, shownTo } = await this.#page(offset, cursor, ask, signal);
      for (const { address, score, tier } of leaderboard) {
        if (!filling.changed.has(address)) this.#set(address, score, tier);
      }
      const { fallen, next } = await this.#catchUp(cursor, shownTo, ask, signal);
      filling.cursor = next;
      // A wallet that falls moves those below it up: past the start of this page if it fell before the
      // page was read, past the end if it fell since.
      let reached = known;
      if (offset === 0 || fallen <= known - offset) {
        if (offset + PAGE >= total) break;
        reached = offset + PAGE;
      }
      filling.known = Math.max(0, reached - fallen);
      filling.overlap = Math.min(2 * fallen, PAGE / 2);
    }
    this.#filling = undefined;
    this.#cursor = filling.cursor;
    this.#onFilled?.();
  }

  /** Empties the copy and takes the cursor from which on changes are read. */
  async #begin(ask: Ask, signal: AbortSignal | undefined): Promise<Filling> {
    this.#cursor = undefined;
    this.wallets.clear();
    const { next } = await ask(() => this.#fathom.changes({ limit: 1 }, callOf(signal)));
    await sleep(this.#settle, signal);
    return { cursor: next, known: 0, overlap: 0, changed: new Set() };
  }

  /**
   * Applies all changes after the cursor, at least those that a page of the leaderboard has shown.
   * @returns how many wallets have fallen, and the next cursor
   * @throws CursorGoneError if the page showed commits that are lost now
   */
  async #catchUp(
    cursor: string,
    shownTo: string | undefined,
    ask: Ask,
    signal: AbortSignal | undefined,
  ) {
    const call = callOf(signal);
    const passed = new Set([commitOf(cursor)]);
    let fallen = 0;
    for (let next = cursor; ; ) {
      const query = { after: next, limit: CHANGES };
      const page = await ask(() => this.#fathom.changes(query, call));
      for (const entry of page.changes) this.#apply(entry);
      fallen += page.changes.filter((each) => isWalletChange(each) && hasFallen(each)).length;
      for (const each of [...page.changes, { cursor: page.next }])
        passed.add(commitOf(each.cursor));
      next = page.next;
      if (page.hasMore) continue;
      if (shownTo === undefined || passed.has(shownTo)) return { fallen, next };
      await ask(() => waitFor(this.#fathom, shownTo, signal));
      if (!isBefore(next, shownTo)) return { fallen, next };
    }
  }

  #apply(entry: ChangeEntry): void {
    if (!isWalletChange(entry)) return;
    const { address, score, tier, noActivity } = entry;
    this.#filling?.changed.add(address);
    if (noActivity) this.wallets.delete(address);
    else this.#set(address, score, tier);
  }

  #set(address: string, score: number, tier: Tier): void {
    this.wallets.set(address, { chain: chainOf(address), score, tier });
  }

  /**
   * Reads a page that isn't stale and includes everything up to the cursor. What's missing on another page
   * might never arrive as a change.
   */
  async #page(offset: number, cursor: string, ask: Ask, signal: AbortSignal | undefined) {
    const params = { query: { limit: PAGE, offset } };
    for (;;) {
      const { page, response } = await ask(async () => {
        const answer = await this.#fathom.api.GET('/leaderboard', {
          ...CURRENT,
          ...(signal && { signal }),
          params,
        });
        return { page: got<Leaderboard>(answer), response: answer.response };
      });
      const place = placeOf(response);
      const isStale = response.headers.get('reputation-status') === 'stale';
      const isBehind = place !== undefined && isBefore(place.from, cursor);
      if (!isStale && !isBehind) return { ...page, shownTo: place?.to };
      if (isBehind) await ask(() => waitFor(this.#fathom, cursor, signal));
      else await sleep(STALE_WAIT_MS, signal);
    }
  }
}

/** Retries while the service is unavailable. */
async function patiently<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isRetryable(error)) throw error;
      await sleep(backoff(failures), signal);
    }
  }
}

function callOf(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function hasFallen({ score, previousScore }: WalletChange): boolean {
  return previousScore !== null && score <= previousScore;
}

function chainOf(address: string): Chain {
  if (address.startsWith('0x')) return 'ethereum';
  return address.length === 58 ? 'algorand' : 'solana';
}

function byAddress(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
