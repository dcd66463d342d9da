import { onTestFinished, vi } from 'vitest';
import { soleReplica } from '#cluster/memory-work';
import type { SourceInput } from '#scoring/inputs/input';
import { SourceReader } from '#sources/reading/reader';
import type { SourceReaderOptions, WantedInputs } from '#sources/reading/reader-options';
import { openQuietly } from './filled-store.ts';
import { silentLog } from './log.ts';
import { ModelChain } from './model-chain.ts';

export function inputNamed(name: string, since: number): SourceInput {
  return {
    ...{ kind: 'vote', space: name, name, source: 'eth' },
    since: { kind: 'height', height: BigInt(since) },
  };
}

export const HOLD: SourceInput = {
  ...{ kind: 'hold', source: 'eth', name: 'hold', since: { kind: 'height', height: 1n } },
  holding: { kind: 'erc20', contract: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB' },
};

/** Moves the monotonic clock on, for the rest of a test. */
export function skipper(): (ms: number) => void {
  let ahead = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  onTestFinished(() => void vi.restoreAllMocks());
  return (ms) => {
    ahead += ms;
  };
}

/** A store, a chain of 200 heights, and readers of what the test wants. */
export async function openReading() {
  const store = await openQuietly('sqlite::memory:');
  const chain = new ModelChain(200);
  const readers: SourceReader[] = [];
  let wanted: WantedInputs = { inputs: [], live: new Set(), nobody: new Set() };
  onTestFinished(async () => {
    await Promise.all(readers.map((each) => each.stop()));
    await store.close();
  });
  return {
    ...{ store, chain, readers },
    want(inputs: readonly SourceInput[], live = inputs): void {
      wanted = { inputs, live: new Set(live.map(({ name }) => name)), nobody: new Set() };
    },
    start(from = chain, change: Partial<SourceReaderOptions> = {}): SourceReader {
      const reader = new SourceReader({
        ...{ id: 'eth', chainId: 'eip155:1', chain: from, store: store.evidence, log: silentLog },
        highestWallet: () => store.scoring.highestWallet(),
        wanted: () => wanted,
        replica: soleReplica(silentLog),
        retryMs: { first: 1, most: 5 },
        ...change,
      });
      reader.begin();
      readers.push(reader);
      return reader;
    },
    heights: async () =>
      Object.fromEntries(
        (await store.evidence.inputs()).map(({ name, position }) => [name, position.height]),
      ),
  };
}
