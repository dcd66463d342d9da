import { describe, expect, it } from 'vitest';
import { formatTime } from '#base/time/time';
import { type ChainNode, EvmChain, hex, openChainNode, timeOf } from '../support/evm-chain.ts';
import { expected, LOGS, open, readAll as readEvm } from '../support/evm-reading.ts';
import { openIndexer } from '../support/sources/algorand-chain.ts';
import * as algorand from '../support/sources/algorand-source.ts';
import { readAll } from '../support/sources/read-all.ts';
import { openSolanaNode } from '../support/sources/solana-chain.ts';
import * as solana from '../support/sources/solana-source.ts';

/* Points depend on when things happened, so no single node is believed about it. */

const DAY = 86_400;

describe('a block time that only one node tells', () => {
  it('stops reading on Algorand, and a third node settles it', async () => {
    const genesisTime = 1_600_000_000;
    const honest = await openIndexer({ genesisTime });
    const liar = await openIndexer({ genesisTime: genesisTime + 3 * DAY });
    const inputs = algorand.inputs(algorand.rule('app: 5, method: "vote()void"', 'sender'));
    await expect(readAll(algorand.sourceOf(liar, honest), inputs)).rejects.toThrow(
      /contradict each other about algo, round \d+: the time of round \d+ is \d{4}-\S+Z at /,
    );
    const another = await openIndexer({ genesisTime });
    const { end } = await readAll(algorand.sourceOf(liar, honest, another), inputs);
    expect(end.time).toBe(genesisTime + 3 * end.height);
  });

  it('stops reading on Solana', async () => {
    const genesisTime = 1_600_000_000;
    const honest = await openSolanaNode({ genesisTime });
    const liar = await openSolanaNode({ genesisTime: genesisTime + DAY });
    const inputs = solana.inputs(solana.rule('0x01', 'signer'));
    await expect(readAll(solana.sourceOf(liar, honest), inputs)).rejects.toThrow(
      /contradict each other about sol, slot \d+: the time of slot \d+ is \d{4}-\S+Z at /,
    );
  });
});

describe('a block time of an EVM chain', () => {
  const untimed = (log: Record<string, unknown>) => ({ ...log, blockTimestamp: undefined });
  const two = async (): Promise<[ChainNode, ChainNode]> => {
    const chain = new EvmChain(3_000, LOGS);
    return [await openChainNode(chain), await openChainNode(chain)];
  };

  it('is compared in headers where logs have none', async () => {
    const nodes = await two();
    for (const node of nodes) node.does.alters = untimed;
    nodes[0].does.dates = (header) =>
      header.number === hex(55) ? { ...header, timestamp: hex(timeOf(55) + 1) } : header;
    await expect(readEvm(open(nodes))).rejects.toThrow(
      `the time of block 55 is ${formatTime(timeOf(55) + 1)} at `,
    );
  });

  it("isn't taken from logs of which one node alone has times", async () => {
    const nodes = await two();
    nodes[0].does.alters = (log) =>
      log.blockNumber === hex(55) ? { ...log, blockTimestamp: hex(timeOf(55) + 1) } : log;
    nodes[1].does.alters = untimed;
    expect(await readEvm(open(nodes))).toEqual(await expected());
  });
});
