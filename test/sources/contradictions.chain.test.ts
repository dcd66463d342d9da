import { beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '#base/time/time';
import type { ChainSource } from '#sources/source';
import {
  type ChainNode,
  EvmChain,
  hex,
  NODE_SECRET,
  openChainNode,
  timeOf,
} from '../support/evm-chain.ts';
import { A, INPUTS, LOGS, open, readAll, signal } from '../support/evm-reading.ts';

/* What an operator reads if two nodes disagree: which nodes, about which blocks, and what differs. */

const VARIABLES = ['RPC_A', 'RPC_B', 'RPC_C'];

describe('two nodes that disagree', () => {
  let nodes: ChainNode[];
  beforeEach(async () => {
    const chain = new EvmChain(3_000, LOGS);
    nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  });

  const words = async (more: readonly ChainNode[] = []) => {
    const source = open([...nodes, ...more], { variables: VARIABLES });
    const error: Error = await readAll(source).then(
      () => expect.fail('they agreed'),
      (reason) => reason,
    );
    expect(error.name).toBe('SourceStopped');
    expect(error.message).not.toContain(NODE_SECRET);
    return error.message;
  };
  const named = (at: number) => `${VARIABLES[at]} (${nodes[at]?.host})`;

  it('about logs are named, with the blocks and what one of them lacks', async () => {
    nodes[1]!.does.hides = (log) =>
      [hex(205), hex(255)].includes((log as { blockNumber: string }).blockNumber);
    const text = await words();
    expect(text).toMatch(/contradict each other about eth, blocks \d+–\d+: /);
    expect(text).toContain(`${named(1)} lacks 2 logs of blocks 205–255 that ${named(0)} has. `);
    expect(text).toContain('Name a third node to settle it');
  });

  it('about what a log says are named with its block', async () => {
    nodes[0]!.does.alters = (log) =>
      log.blockNumber === hex(55) ? { ...log, transactionHash: `0x${'9'.repeat(64)}` } : log;
    expect(await words()).toContain(`${named(0)} and ${named(1)} differ in 1 log of block 55. `);
  });

  it.each([0, 1])(
    'about a log whose number another one of the block has, too, are named',
    async (at) => {
      // Two transactions; the chain restarts log numbers in each.
      const chain = new EvmChain(3_000, [
        ...LOGS,
        ...LOGS.slice(0, 3).map((log) => ({ ...log, block: 1_501 })),
      ]);
      nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
      for (const { does } of nodes) {
        does.alters = (log) => ({ ...log, logIndex: hex(Number(log.logIndex) % 2) });
      }
      nodes[at]!.does.hides = (log) => {
        const { blockNumber, logIndex } = log as { blockNumber: string; logIndex: string };
        return blockNumber === hex(1_501) && logIndex === hex(0);
      };
      expect(await words()).toContain(
        `${named(at)} lacks 1 log of block 1501 that ${named(1 - at)} has. `,
      );
    },
  );

  it('about a block’s time in its logs are named with both times', async () => {
    nodes[1]!.does.alters = (log) =>
      log.blockNumber === hex(55) ? { ...log, blockTimestamp: hex(timeOf(56)) } : log;
    expect(await words()).toContain(
      `the time of block 55 is ${formatTime(timeOf(55))} at ${named(0)} and ${formatTime(timeOf(56))} at ${named(1)}. `,
    );
  });

  it('about a block’s hash are named with both hashes', async () => {
    const fork = new EvmChain(3_000, LOGS);
    fork.forkedAt = 2;
    const [one, other] = nodes as [ChainNode, ChainNode];
    nodes = [one, await openChainNode(fork)];
    await other.close();
    expect(await words()).toMatch(
      /: block \d+ is 0x[0-9a-f]{64} at RPC_A \(.*\) and 0x[0-9a-f]{64} at RPC_B \(/,
    );
  });

  it('and a third one that agrees with neither are all named', async () => {
    nodes[1]!.does.hides = (log) => (log as { blockNumber: string }).blockNumber === hex(55);
    const third = await openChainNode(new EvmChain(3_000, LOGS));
    third.does.alters = (log) => ({ ...log, data: `${log.data}00` });
    expect(await words([third])).toContain(`RPC_C (${third.host}) agrees with neither. `);
  });

  it('about a balance are named with it', async () => {
    const source: ChainSource = open(nodes, { variables: VARIABLES });
    nodes[0]!.balances.set(A, 7n);
    nodes[1]!.balances.set(A, 8n);
    const [input] = INPUTS.filter(({ kind }) => kind === 'hold');
    const at = await source.end(signal);
    const asking = source.balancesOf({ input: input!, addresses: [A], at, signal });
    await expect(asking).rejects.toThrow(
      `eth, balances at block 3000: the balance of ${A} is 7 at ${named(0)} and 8 at ${named(1)}. `,
    );
  });
});
