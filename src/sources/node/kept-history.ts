import { monotonicMs } from '#base';

/** How long to rely on a node to still have what it had: it may be pruning. */
const RELIED_ON_MS = 60_000;
/** No node prunes blocks this close to its newest final one. */
const RECENT_BLOCKS = 128;
/** Ranges whose headers show nothing, after which a chain's headers probably never do. */
const UNDECIDED_MOST = 10;

/** The oldest block whose contents a node was found to have. */
export class KeptHistory {
  #from = Number.POSITIVE_INFINITY;
  #foundAt = Number.NEGATIVE_INFINITY;
  #undecided = 0;

  /** @param newest the node's newest final block */
  isDoubtful(block: number, newest: number): boolean {
    if (block > newest - RECENT_BLOCKS) return false;
    return block < this.#from || monotonicMs() - this.#foundAt >= RELIED_ON_MS;
  }

  found(block: number): void {
    this.#from = block;
    this.#foundAt = monotonicMs();
    this.#undecided = 0;
  }

  /** No header in a range shows whether the node has what is in it. */
  undecided(block: number): void {
    this.#undecided += 1;
    if (this.#undecided >= UNDECIDED_MOST) this.found(block);
  }
}
