import { NodeFault, unableForOne } from '#sources/node/fault';
import type { NodeWork } from '#sources/node/pool';

/** How many heights to request at once, found by trial. */
export class RangeWidth {
  readonly #most: number;
  #width: number;

  constructor(first: number, most: number) {
    this.#width = first;
    this.#most = most;
  }

  /**
   * Reads a range, halving it while it's too much for a node. A single height can't get smaller, so there the
   * node itself is at fault.
   * @param from the height that the range starts after
   * @param read reads a range up to a height
   */
  async shrinking<T>(
    from: number,
    upTo: number,
    read: (to: number, wrap: WrapWork) => Promise<T>,
  ): Promise<T> {
    while (true) {
      const to = Math.min(upTo, from + this.#width);
      const asked = to - from;
      try {
        const value = await read(to, asked === 1 ? blamingNode : (work) => work);
        // A range shorter than the width says nothing about a longer one.
        if (asked === this.#width) this.#width = Math.min(this.#most, this.#width * 2);
        return value;
      } catch (error) {
        if (!(error instanceof NodeFault) || error.kind !== 'too-much') throw error;
        this.#width = Math.max(1, Math.floor(asked / 2));
      }
    }
  }
}

type WrapWork = <T>(work: NodeWork<T>) => NodeWork<T>;

const blamingNode: WrapWork = (work) => async (call) => {
  try {
    return await work(call);
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'too-much') throw error;
    throw unableForOne(error, 'height');
  }
};
