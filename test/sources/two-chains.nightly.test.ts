import { expect, it } from 'vitest';
import { EvmChain, openChainNode } from '../support/evm-chain.ts';
import { expected, LOGS, open, readAll } from '../support/evm-reading.ts';

/** A node that takes no batches, behind whose address two chains answer in turns, of as many requests each. */
async function flipping(turn: number, forkedAt: number) {
  const chain = new EvmChain(3_000, LOGS);
  const node = await openChainNode(chain);
  let asked = 0;
  node.does = {
    batch: 0,
    widest: 200,
    hides: () => chain.forkedAt === forkedAt,
    instead: () => {
      asked += 1;
      chain.forkedAt = Math.floor(asked / turn) % 2 === 1 ? forkedAt : Number.POSITIVE_INFINITY;
      return false;
    },
  };
  return node;
}

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16])(
  'A single node that answers for two chains in turns of %i requests is stopped at, or read right',
  async (turn) => {
    const source = open([await flipping(turn, 0)]);
    const read = await readAll(source, 1_000).catch((error: Error) => error);
    if (read instanceof Error) {
      expect(read.name).toBe('SourceStopped');
      expect(read.message).toContain('evidence verify FILE --against-chain');
    } else expect(read).toEqual(await expected());
  },
);
