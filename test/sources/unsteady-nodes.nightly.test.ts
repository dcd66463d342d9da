import { describe, expect, it, onTestFinished } from 'vitest';
import { soleReplica } from '#cluster/memory-work';
import type { SourceInput } from '#scoring/inputs/input';
import { SourceReader } from '#sources/reading/reader';
import type { ChainSource } from '#sources/source';
import { untilPasses } from '../support/eventually.ts';
import { EvmChain, openChainNode } from '../support/evm-chain.ts';
import { INPUTS as EVM_INPUTS, LOGS, open as openEvm } from '../support/evm-reading.ts';
import { openQuietly } from '../support/filled-store.ts';
import { silentLog } from '../support/log.ts';
import { openIndexer } from '../support/sources/algorand-chain.ts';
import * as algorand from '../support/sources/algorand-source.ts';
import { AlgorandLedger, accountOf, assetTransfer } from '../support/sources/algorand-world.ts';
import { keyNamed, openSolanaNode } from '../support/sources/solana-chain.ts';
import * as solana from '../support/sources/solana-source.ts';

/** A chain behind two nodes, of which the second one may turn out to be far behind. */
interface Reading {
  readonly chain: ChainSource;
  readonly inputs: readonly SourceInput[];
  readonly low: number;
  readonly high: number;
  /** @param isLow asked at each request to the second node */
  flip(isLow: () => boolean): void;
}

async function overAlgorand(): Promise<Reading> {
  const [low, high] = [20_000, 50_000];
  const ledger = new AlgorandLedger(1_700_000_000);
  for (let round = 5; round < high; round += 700) {
    ledger.send(round, assetTransfer(7, accountOf(2), { receiver: accountOf(1), amount: 1 }));
  }
  const of = { genesisTime: 1_700_000_000, round: high, transactions: ledger.transactions };
  const [one, other] = [await openIndexer({ ...of }), await openIndexer({ ...of, pageMost: 5 })];
  return {
    ...{ low, high, chain: algorand.sourceOf(one, other) },
    inputs: algorand.inputs(algorand.rule('asset: 7, transfer: received', 'receiver')),
    flip(isLow) {
      other.instead = () => {
        other.chain.round = isLow() ? low : high;
        return undefined;
      };
    },
  };
}

async function overSolana(): Promise<Reading> {
  const [low, high] = [2_000, 5_000];
  const transactions = Array.from({ length: 60 }, (_, i) => ({
    ...{ slot: 5 + i * 80, signer: keyNamed(`signer ${i % 7}`) },
    instructions: [{ program: solana.PROGRAM, data: '07' }],
  }));
  const one = await openSolanaNode({ head: high, transactions });
  const other = await openSolanaNode({ head: high, transactions });
  return {
    ...{ low, high, chain: solana.sourceOf(one, other) },
    inputs: solana.inputs(solana.rule('0x07', 'signer')),
    flip(isLow) {
      other.instead = () => {
        other.chain.head = isLow() ? low : high;
        return undefined;
      };
    },
  };
}

async function overEvm(): Promise<Reading> {
  const [low, high] = [1_200, 3_000];
  const one = await openChainNode(new EvmChain(high, LOGS));
  const other = await openChainNode(new EvmChain(high, LOGS));
  one.does = { widest: 100 };
  return {
    ...{ low, high, chain: openEvm([one, other]), inputs: EVM_INPUTS },
    flip(isLow) {
      other.does.instead = () => {
        other.does.knowsUpTo = isLow() ? low : high;
        return false;
      };
    },
  };
}

/** Reads in the background, into a store of its own. */
async function read({ chain, inputs }: Pick<Reading, 'chain' | 'inputs'>) {
  const store = await openQuietly('sqlite::memory:');
  const warnings: string[] = [];
  const reader = new SourceReader({
    ...{ id: inputs[0]?.source ?? '', chainId: 'a chain', chain, store: store.evidence },
    highestWallet: () => store.scoring.highestWallet(),
    wanted: () => ({ inputs, live: new Set(inputs.map(({ name }) => name)), nobody: new Set() }),
    ...{ replica: soleReplica(silentLog), retryMs: { first: 1, most: 5 } },
    log: { ...silentLog, warn: (_, words) => void warnings.push(words) },
  });
  reader.begin();
  onTestFinished(async () => {
    await reader.stop();
    await store.close();
  });
  return {
    warnings,
    height: async () =>
      Math.min(...(await store.evidence.inputs()).map(({ position }) => position.height)),
    evidence: () => store.scoring.evidence({ from: 0, to: 1_000 }),
  };
}

function withEnd(chain: ChainSource, end: ChainSource['end']): ChainSource {
  const get = (of: ChainSource, name: string | symbol): unknown => {
    const member: unknown = name === 'end' ? end : Reflect.get(of, name, of);
    return typeof member === 'function' ? member.bind(of) : member;
  };
  return new Proxy(chain, { get });
}

describe.each([
  ['an EVM chain', overEvm],
  ['Algorand', overAlgorand],
  ['Solana', overSolana],
] as const)('of %s, one of whose two nodes has gone back', (_, open) => {
  it('what both know is read, and the rest once they know it', async () => {
    const plain = await open();
    const expected = await read(plain);
    await untilPasses(async () => expect(await expected.height()).toBe(plain.high));
    const reading = await open();
    // It knows all of the chain when asked how far that goes, and not when asked for it.
    let isKnown = false;
    reading.flip(() => isKnown);
    const { chain, low, high } = reading;
    const end: ChainSource['end'] = async (signal) => {
      const told = await chain.end(signal);
      isKnown = true;
      return told;
    };
    const unsteady = await read({ ...reading, chain: withEnd(chain, end) });
    await untilPasses(async () => expect(await unsteady.height()).toBe(low));
    await untilPasses(() =>
      expect(unsteady.warnings.join('\n')).toContain('counts once two nodes give it'),
    );
    reading.flip(() => false);
    await untilPasses(async () => expect(await unsteady.height()).toBe(high));
    expect(await unsteady.evidence()).toEqual(await expected.evidence());
  });
});

it('Of a single node that has gone back, nothing is said of two', async () => {
  const node = await openChainNode(new EvmChain(3_000, LOGS));
  const single = await read({ chain: openEvm([node], { pollMs: 5 }), inputs: EVM_INPUTS });
  await untilPasses(async () => expect(await single.height()).toBe(3_000));
  node.does.knowsUpTo = 1_200;
  await untilPasses(() =>
    expect(single.warnings.join('\n')).toContain('what is newer counts once'),
  );
  expect(single.warnings.join('\n')).not.toContain('two nodes');
});
