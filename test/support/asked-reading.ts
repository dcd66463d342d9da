import { onTestFinished } from 'vitest';
import type { Logger } from '#base/log';
import { DAY_SECONDS, dayOf } from '#base/time/time';
import { soleReplica } from '#cluster/memory-work';
import { inputsBySource } from '#scoring/inputs/input';
import { SourceReader } from '#sources/reading/reader';
import { nearestMidnight } from './chain-times.ts';
import { BLOCK_S, type ChainNode, EvmChain, timeOf, word } from './evm-chain.ts';
import { A, B, open } from './evm-reading.ts';
import { openQuietly } from './filled-store.ts';
import { silentLog } from './log.ts';
import { validRules } from './rules.ts';

export const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Blocks per day. */
export const DAY = 7_200;
export const HEAD = Math.round(5.2 * DAY);

const HEADING = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
`;
const ASKED = `  - {id: lp, hold: {source: eth, erc20: ${TOKEN}, min: 100, since: 1, by: balance}, give: {type: holding, points: 3}}
`;

/**
 * A token of which everyone has a thousandth more each block; A is named on the first day, B on the third.
 * @param head the last block; the day before its own is over
 */
export function tokenChain(head = HEAD): EvmChain {
  const named = (block: number, address: string) => ({
    ...{ block, address: TOKEN.toLowerCase(), data: `0x${word(1n)}` },
    topics: [TRANSFER, `0x${word(0)}`, `0x${word(address)}`],
  });
  const chain = new EvmChain(head, [named(10, A), named(2 * DAY + 600, B)]);
  chain.genesis = nearestMidnight() - Math.floor(head / DAY) * 86_400;
  const since = new Map([
    [A, 10],
    [B, 2 * DAY + 600],
  ]);
  chain.balanceOf = (owner, block) => {
    const first = since.get(owner) ?? Number.POSITIVE_INFINITY;
    return block < first ? 0n : BigInt(1_000 + block);
  };
  return chain;
}

/** The last block of each day that is over. */
export function dayEndsOf({ genesis, head }: EvmChain): number[] {
  const ends: number[] = [];
  for (let block = 0; block < head; ) {
    const nextDay = (dayOf(timeOf(block, genesis)) + 1) * DAY_SECONDS;
    const next = block + Math.ceil((nextDay - timeOf(block, genesis)) / BLOCK_S);
    if (next <= head) ends.push(next - 1);
    block = next;
  }
  return ends;
}

/** @param rules beside the one that asks for balances */
export async function reading(nodes: readonly ChainNode[], rules = '', isAsked = true) {
  const inputs =
    inputsBySource([validRules(HEADING + (isAsked ? ASKED : '') + rules).rules]).get('eth') ?? [];
  const names = inputs.map(({ name }) => name);
  const [asked = ''] = names;
  const store = await openQuietly('sqlite::memory:');
  const readers: SourceReader[] = [];
  const said: string[] = [];
  const log: Logger = { ...silentLog, error: (_, message) => void said.push(message) };
  onTestFinished(async () => {
    await Promise.all(readers.map((each) => each.stop()));
    await store.close();
  });
  return {
    ...{ store, said },
    start(): SourceReader {
      const reader = new SourceReader({
        ...{ id: 'eth', chainId: 'eip155:1', store: store.evidence, log },
        chain: open(nodes, { pollMs: 5 }),
        highestWallet: () => store.scoring.highestWallet(),
        wanted: () => ({ inputs, live: new Set(names), nobody: new Set() }),
        replica: soleReplica(silentLog),
        retryMs: { first: 1, most: 5 },
        stoppedMs: 5,
      });
      reader.begin();
      readers.push(reader);
      return reader;
    },
    /** Of the n-th rule. */
    state: async (rule = 0) =>
      (await store.evidence.inputs()).find(({ name }) => name === names[rule]),
    /** Changes by the wallet's address; those of 0 only name it. */
    changes: async () =>
      (await store.evidence.balances('eth', asked, 0, 10)).map(({ wallet, changes }) => ({
        address: wallet.address.toLowerCase(),
        changes: changes.filter(({ amount }) => amount !== 0n),
      })),
  };
}

/** What a chain's evidence must be. */
export function expectedChanges(chain: EvmChain) {
  const ends = dayEndsOf(chain);
  return [A, B].map((address) => {
    let before = 0n;
    const changes = ends.flatMap((block) => {
      const balance = chain.balanceOf?.(address, block) ?? 0n;
      const amount = balance - before;
      before = balance;
      return amount === 0n ? [] : [{ time: timeOf(block, chain.genesis), amount }];
    });
    return { address, changes };
  });
}
