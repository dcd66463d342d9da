import type { RankCard } from '#pictures/shown';
import { type Reading, readingKey } from '#reputation';
import type { Wallet } from '#wallet';

/** How long to cache a card while the data doesn't change: verified names have no revision. */
const KEPT_MS = 30_000;
/** The same for a card without a plot, since its history may only be unavailable for a moment. */
const PLOTLESS_MS = 2_000;
/** A card takes about 10 KB. */
const MOST_CARDS = 500;

interface CachedCard {
  readonly revision: string;
  readonly card: Promise<RankCard | undefined>;
  /** Milliseconds of the monotonic clock. */
  until: number;
}

/**
 * Caches the cards' data by wallet: reading a long history takes tens of milliseconds, which repeated
 * requests for one wallet must not cost each time. Drops the least recently used first.
 */
export class CardCache {
  readonly #cards = new Map<string, CachedCard>();
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The card if the data hasn't changed, possibly still being read; undefined if it must be read. */
  get(wallet: Wallet, reading: Reading): Promise<RankCard | undefined> | undefined {
    const key = keyOf(wallet);
    const kept = this.#cards.get(key);
    if (kept?.revision !== readingKey(reading) || this.#now() >= kept.until) return undefined;
    // Move it to the end, as the most recently used.
    this.#cards.delete(key);
    this.#cards.set(key, kept);
    return kept.card;
  }

  /** Caches a card that is being read. Failures and unknown wallets are dropped once known. */
  async keep(
    wallet: Wallet,
    reading: Reading,
    read: () => Promise<RankCard | undefined>,
  ): Promise<RankCard | undefined> {
    const key = keyOf(wallet);
    const { isStale } = reading;
    const kept = { revision: readingKey(reading), card: read(), until: this.#now() + KEPT_MS };
    this.#cards.delete(key);
    this.#cards.set(key, kept);
    const [oldest] = this.#cards.keys();
    if (this.#cards.size > MOST_CARDS && oldest !== undefined) this.#cards.delete(oldest);
    let card: RankCard | undefined;
    try {
      card = await kept.card;
    } finally {
      const isKept = card !== undefined && card.isStale === isStale;
      if (!isKept && this.#cards.get(key) === kept) this.#cards.delete(key);
    }
    if (card?.history.length === 0) kept.until = this.#now() + PLOTLESS_MS;
    return card;
  }
}

function keyOf({ chain, address }: Wallet): string {
  return `${chain} ${address}`;
}
