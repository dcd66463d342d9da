import { type ChangeEntry, isWalletChange, type WalletChange } from './change-types.ts';
import { type Fathom, got } from './client.ts';
import { CursorGoneError, WalletNotFoundError } from './errors.ts';
import type { Chain, Leaderboard, Tier } from './types.ts';
import { sleep } from './waiting.ts';

export interface CopiedWallet {
  readonly chain: Chain;
  readonly score: number;
  readonly tier: Tier;
}

export interface WalletCopyOptions {
  /**
   * Milliseconds between taking the cursor and reading the boards. Default: 11,000, since a replica may lag
   * 10 seconds before it reports so, and the boards must not be older than the cursor. Use 0 for a service
   * that runs as one process.
   */
  readonly settle?: number;
}

const PAGE = 500;
const CHANGES = 1_000;
/** How long to wait before reading stale boards again, and how often to. */
const STALE_WAIT_MS = 5_000;
/** A browser's cache may be older than the cursor, and no change would tell what's missing. */
const CURRENT = { cache: 'no-cache' } as const;

/** An in-memory copy of all scores, kept up to date with the service. */
export class WalletCopy {
  /** By address. */
  readonly wallets = new Map<string, CopiedWallet>();
  readonly #fathom: Fathom;
  readonly #settle: number;
  #cursor: string | undefined;
  /** While the boards are read: wallets for which the changes are newer than the boards. */
  #changed: Set<string> | undefined;

  constructor(fathom: Fathom, { settle = 11_000 }: WalletCopyOptions = {}) {
    this.#fathom = fathom;
    this.#settle = settle;
  }

  /** The copy includes everything up to this cursor; undefined until it's filled. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Fills the copy, then keeps it up to date, and yields each change once the copy includes it. If the
   * service no longer knows the cursor, the copy is filled again.
   */
  async *keep(signal?: AbortSignal): AsyncGenerator<ChangeEntry> {
    const call = signal === undefined ? {} : { signal };
    for (;;) {
      try {
        if (this.#cursor === undefined) await this.fill(signal);
        for await (const entry of this.#fathom.follow({ after: this.#cursor }, call)) {
          await this.#apply([entry], signal);
          this.#cursor = entry.cursor;
          yield entry;
        }
      } catch (error) {
        if (!(error instanceof CursorGoneError)) throw error;
        this.#cursor = undefined;
      }
    }
  }

  /** Reads the boards, and the changes made meanwhile. */
  async fill(signal?: AbortSignal): Promise<void> {
    const call = signal === undefined ? {} : { signal };
    this.#cursor = undefined;
    this.wallets.clear();
    this.#changed = new Set();
    let cursor = (await this.#fathom.changes({ limit: 1 }, call)).next;
    await sleep(this.#settle, signal);
    let fallenBefore = 0;
    for (let offset = 0, isDone = false; !isDone; ) {
      const { leaderboard, total } = await this.#page(offset, signal);
      for (const { address, score, tier } of leaderboard) {
        if (!this.#changed.has(address)) this.#set(address, score, tier);
      }
      const { fallen, next } = await this.#catchUp(cursor, signal);
      cursor = next;
      // A wallet that falls moves those below it up, possibly onto a page that was already read.
      const back = fallen + fallenBefore;
      fallenBefore = fallen;
      isDone = back === 0 && offset + PAGE >= total;
      offset = Math.max(0, Math.min(offset + PAGE, total) - back);
    }
    this.#changed = undefined;
    this.#cursor = cursor;
  }

  /** The digest of the copy, to compare with that of `/v1/provenance`. */
  async digest(): Promise<string> {
    const lines = [...this.wallets].map(([address, { score }]) => `${address} ${score}\n`);
    // Addresses are ASCII, so this is their byte order.
    const bytes = new TextEncoder().encode(lines.sort(byAddress).join(''));
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  /** @returns how many wallets have fallen since the cursor, and the next cursor */
  async #catchUp(cursor: string, signal: AbortSignal | undefined) {
    let fallen = 0;
    let next = cursor;
    for (let hasMore = true; hasMore; ) {
      const query = { after: next, limit: CHANGES };
      const page = await this.#fathom.changes(query, signal === undefined ? {} : { signal });
      await this.#apply(page.changes, signal);
      fallen += page.changes.filter((each) => isWalletChange(each) && hasFallen(each)).length;
      ({ next, hasMore } = page);
    }
    return { fallen, next };
  }

  async #apply(entries: readonly ChangeEntry[], signal: AbortSignal | undefined): Promise<void> {
    const changes = entries.filter(isWalletChange);
    for (const { address, score, tier } of changes) {
      this.#changed?.add(address);
      this.#set(address, score, tier);
    }
    // New rules may leave a wallet without any activity; then no board lists it.
    const empty = changes.filter(({ score }) => score === 0).map(({ address }) => address);
    if (empty.length === 0) return;
    const found = await this.#fathom.reputations(empty, { ...CURRENT, ...(signal && { signal }) });
    for (const [i, each] of found.entries()) {
      if (each instanceof WalletNotFoundError) this.wallets.delete(empty[i] as string);
    }
  }

  #set(address: string, score: number, tier: Tier): void {
    this.wallets.set(address, { chain: chainOf(address), score, tier });
  }

  /** Reads a page that isn't stale. What's missing on a stale page might never arrive as a change. */
  async #page(offset: number, signal: AbortSignal | undefined): Promise<Leaderboard> {
    const params = { query: { limit: PAGE, offset } };
    for (;;) {
      const answer = await this.#fathom.api.GET('/leaderboard', {
        ...CURRENT,
        ...(signal && { signal }),
        params,
      });
      const page = got<Leaderboard>(answer);
      if (answer.response.headers.get('reputation-status') !== 'stale') return page;
      await sleep(STALE_WAIT_MS, signal);
    }
  }
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
