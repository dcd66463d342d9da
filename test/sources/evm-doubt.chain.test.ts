import { describe, expect, it } from 'vitest';
import {
  type ChainLog,
  type ChainNode,
  EvmChain,
  hex,
  openChainNode,
  timeOf,
} from '../support/evm-chain.ts';
import { expected, FILTERS, LOGS, open, readAll, readPlainly } from '../support/evm-reading.ts';

/* Answers that look complete and aren't, where every node gives the same one. */

const OTHER = `0x${'c0'.repeat(20)}`;
/** Logs of another contract in every block, as on a busy chain. */
const BUSY = Array.from({ length: 3_000 }, (_, block) => ({
  ...{ block, address: OTHER, topics: [`0x${'7'.repeat(64)}`], data: '0x' },
}));

describe('nodes that have pruned logs and answer with empty lists', () => {
  it('are unfit, although both say the same', async () => {
    const chain = new EvmChain(3_000, [...LOGS, ...BUSY]);
    const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
    for (const node of nodes) node.does.hasNoLogsBelow = 2_000;
    const source = open(nodes);
    await expect(readAll(source)).rejects.toThrow(
      /sends no logs of block 1, although its header says that there are some/,
    );
    expect(source.nodes().map(({ state }) => state)).toContain('unfit');
  });

  it('are unfit alone too, and another one takes over', async () => {
    const chain = new EvmChain(3_000, [...LOGS, ...BUSY]);
    const pruned = await openChainNode(chain);
    pruned.does.hasNoLogsBelow = 2_000;
    await expect(readAll(open([pruned]))).rejects.toThrow(/pruned/);
    const source = open([pruned, await openChainNode(chain), await openChainNode(chain)]);
    expect(await readAll(source, 50)).toEqual(await expected());
  });

  it('are told from nodes that only return logs of contracts that are named', async () => {
    const node = await openChainNode(new EvmChain(3_000, [...LOGS, ...BUSY]));
    node.does.wantsAddresses = true;
    expect(await readAll(open([node]))).toEqual(await expected());
  });

  it('are unfit on a chain with few logs too', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
    for (const node of nodes) node.does.hasNoLogsBelow = 2_000;
    await expect(readAll(open(nodes))).rejects.toThrow(/sends no logs of block 5,/);
  });

  it('cost a request to rule out, or a few on a chain without logs', async () => {
    const requestsFor = async (logs: readonly ChainLog[], does: ChainNode['does'] = {}) => {
      const node = await openChainNode(new EvmChain(3_000, logs));
      node.does = { ...does, widest: 50 };
      await readAll(open([node]));
      return node.requests - node.ranges.length / FILTERS;
    };
    // One of them asks whether the chain has reached the start.
    expect(await requestsFor([...LOGS, ...BUSY])).toBeLessThanOrEqual(5);
    expect(await requestsFor([])).toBeLessThanOrEqual(20);
  });
});

describe('block times in logs', () => {
  it('are read from headers if a block would be older than one before it', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
    for (const node of nodes) {
      node.does.alters = (log) => {
        const block = Number(log.blockNumber);
        // Every other one is later than the next one.
        return block % 100 === 5 ? { ...log, blockTimestamp: hex(timeOf(block + 60)) } : log;
      };
    }
    expect(await readAll(open(nodes))).toEqual(await readPlainly(chain));
  });

  it("don't count if headers contradict each other too", async () => {
    const chain = new EvmChain(3_000, LOGS);
    const node = await openChainNode(chain);
    node.does.alters = (log) => ({ ...log, blockTimestamp: undefined });
    const { header } = chain;
    chain.header = (block) => ({
      ...header.call(chain, block),
      ...(block === 1_005 && { timestamp: hex(timeOf(500)) }),
    });
    await expect(readAll(open([node]))).rejects.toThrow(/older than those before them/);
  });
});
