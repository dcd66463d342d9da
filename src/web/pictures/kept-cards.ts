import type { RankCard } from '#core/pictures/rank-card';
import type { Reading } from '#core/ports';
import type { Wallet } from '#core/wallet';

/** How long a card may be kept while the data is the same: verified names have no revision. */
const KEPT_MS = 30_000;
/** The same without a plot, as its history may be unavailable only for the moment. */
const PLOTLESS_MS = 2_000;
/** A card has some 10 KB. */
const MOST_CARDS = 500;

interface KeptCard {
  readonly revision: string;
  readonly card: Promise<RankCard | undefined>;
  /** Milliseconds of the monotonic clock. */
  until: number;
}

/**
 * What cards say, by wallet: reading a long history takes tens of milliseconds, so whoever asks for
 * one wallet again and again must not have it read each time. The least recently used goes first.
 */
export class KeptCards {
  readonly #cards = new Map<string, KeptCard>();
  readonly #now: () => number;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The card of the same data, which may still be read; undefined if it must be read anew. */
  get(wallet: Wallet, reading: Reading): Promise<RankCard | undefined> | undefined {
    const key = keyOf(wallet);
    const kept = this.#cards.get(key);
    if (kept?.revision !== revisionOf(reading) || this.#now() >= kept.until) return undefined;
    // To the end, where what was used last is.
    this.#cards.delete(key);
    this.#cards.set(key, kept);
    return kept.card;
  }

  /** Keeps a card that is being read. Failures and wallets never seen are dropped when known. */
  async keep(
    wallet: Wallet,
    reading: Reading,
    read: () => Promise<RankCard | undefined>,
  ): Promise<RankCard | undefined> {
    const key = keyOf(wallet);
    const { isStale } = reading;
    const kept = { revision: revisionOf(reading), card: read(), until: this.#now() + KEPT_MS };
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

function revisionOf({ revision, isStale }: Reading): string {
  return isStale ? `${revision} stale` : revision;
}
