import { monotonicMs } from '#core/clock';

/** How long to rely on a node to still have logs that it had: it may be pruning. */
const RELIED_ON_MS = 60_000;
/** No node prunes blocks this close to its newest final one. */
const RECENT_BLOCKS = 128;

/** The oldest block whose logs a node was found to have. */
export class KeptLogs {
  #from = Number.POSITIVE_INFINITY;
  #foundAt = Number.NEGATIVE_INFINITY;

  /** @param newest the node's newest final block */
  isDoubtful(block: number, newest: number): boolean {
    if (block > newest - RECENT_BLOCKS) return false;
    return block < this.#from || monotonicMs() - this.#foundAt >= RELIED_ON_MS;
  }

  found(block: number): void {
    this.#from = block;
    this.#foundAt = monotonicMs();
  }
}
