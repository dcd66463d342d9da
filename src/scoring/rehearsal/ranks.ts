import { CHAINS, type Chain } from '#wallet';

/** Scores of all wallets with an activity, for computing ranks. */
export class Ranks {
  readonly #all: number[] = [];
  readonly #byChain = new Map<Chain, number[]>(CHAINS.map((chain) => [chain, []]));
  #isSorted = false;

  add(chain: Chain, score: number): void {
    this.#all.push(score);
    this.#byChain.get(chain)?.push(score);
    this.#isSorted = false;
  }

  /** 1 + the number of higher scores. */
  rankOf(score: number): number {
    this.#sort();
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle] as number) > score) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  /** The score of the last of the top N, of a chain if one is given; undefined if there are fewer. */
  lastOf(chain: Chain | undefined, most: number): number | undefined {
    this.#sort();
    return (chain === undefined ? this.#all : this.#byChain.get(chain))?.[most - 1];
  }

  #sort(): void {
    if (this.#isSorted) return;
    for (const scores of [this.#all, ...this.#byChain.values()]) scores.sort((a, b) => b - a);
    this.#isSorted = true;
  }
}
