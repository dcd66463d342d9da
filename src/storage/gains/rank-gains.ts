/** Wallets on a board; the others have no place. */
const BOARD_MAX = 1_000;

/** Figures of all wallets, by number. */
export interface GainFigures {
  /** What was given within the period, by imports and by rules. */
  readonly imported: Float64Array;
  readonly scored: Float64Array;
  readonly scores: Float64Array;
  /** Places in CHAINS. */
  readonly chains: Uint8Array;
  /** How many chains there are; the thread knows no other room, so that it starts quickly. */
  readonly chainCount: number;
}

/** The best of all wallets, or of a chain's, most first; equal ones by their numbers. */
export type GainBoard = readonly { readonly wallet: number; readonly gained: number }[];

export interface RankedGains {
  /** By wallet number; 0 for those that gained nothing. */
  readonly gains: Float64Array;
  /** The board of all wallets, then one for each chain. */
  readonly boards: readonly GainBoard[];
}

/** A score is at least 0, so nobody's has grown by more than there is now. */
export function rankGains(figures: GainFigures): RankedGains {
  const { imported, scored, scores, chains, chainCount } = figures;
  const gains = new Float64Array(scores.length);
  const all = new Best(gains);
  const byChain = Array.from({ length: chainCount }, () => new Best(gains));
  for (let wallet = 1; wallet < gains.length; wallet++) {
    const sum = (imported[wallet] ?? 0) + (scored[wallet] ?? 0);
    const gained = Math.min(sum, scores[wallet] as number);
    if (!(gained > 0)) continue;
    gains[wallet] = gained;
    if (gained > all.least) all.add(wallet);
    const own = byChain[chains[wallet] as number];
    if (own !== undefined && gained > own.least) own.add(wallet);
  }
  return { gains, boards: [all, ...byChain].map((each) => each.board()) };
}

/** Keeps the best of those that are added: a heap with the worst of them on top. */
class Best {
  readonly #gains: Float64Array;
  readonly #heap: number[] = [];
  /** A wallet that gained no more isn't among the best, as wallets come by their numbers. */
  least = 0;

  constructor(gains: Float64Array) {
    this.#gains = gains;
  }

  add(wallet: number): void {
    const heap = this.#heap;
    if (heap.length < BOARD_MAX) {
      heap.push(wallet);
      this.#rise(heap.length - 1);
    } else if (this.#isBefore(wallet, heap[0] as number)) {
      heap[0] = wallet;
      this.#sink();
    }
    if (heap.length === BOARD_MAX) this.least = this.#gains[heap[0] as number] as number;
  }

  board(): GainBoard {
    return this.#heap
      .toSorted((a, b) => (this.#isBefore(a, b) ? -1 : 1))
      .map((wallet) => ({ wallet, gained: this.#gains[wallet] as number }));
  }

  #isBefore(one: number, other: number): boolean {
    const a = this.#gains[one] as number;
    const b = this.#gains[other] as number;
    return a === b ? one < other : a > b;
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(heap[above] as number, heap[at] as number)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let worst = at;
      for (const below of [2 * at + 1, 2 * at + 2]) {
        if (below < heap.length && this.#isBefore(heap[worst] as number, heap[below] as number)) {
          worst = below;
        }
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    [heap[one], heap[other]] = [heap[other] as number, heap[one] as number];
  }
}
