import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { SourceStopped } from '#sources/source';
import {
  type ChainNode,
  EvmChain,
  hex,
  NODE_SECRET,
  openChainNode,
  timeOf,
} from '../support/evm-chain.ts';
import {
  A,
  B,
  expected,
  FILTERS,
  INPUTS,
  LOGS,
  open,
  readAll,
  readFrom,
  signal,
} from '../support/evm-reading.ts';
import { misbehave } from '../support/misbehaviour.ts';
import { patienceMs } from '../support/patience.ts';

describe('reading an EVM chain', () => {
  it('decodes events and balances in canonical order', async () => {
    const events = await expected();
    expect(events.filter(({ input }) => input === 0)).toHaveLength(60);
    expect(events[0]).toEqual({
      input: 0,
      wallet: { chain: 'ethereum', address: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb' },
      ...{ height: 5, place: 'a0.a0', time: timeOf(5) },
      args: '{"voter":"0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb","proposalId":"0","support":"1","weight":"1000000000000000000","reason":"reason 0 ✓"}',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    const moves = events.filter(({ input }) => input === 1);
    expect(
      moves.map(({ wallet, args, place }) => [wallet.address.slice(0, 4), args, place]),
    ).toEqual([
      ['0xfB', `{"amount":"${2n ** 255n}"}`, 'a0.a0'],
      ['0xfB', '{"amount":"-7"}', 'a0.a1'],
      ['0xD1', '{"amount":"7"}', 'a0.a1'],
    ]);
    const sorted = events.toSorted((a, b) => a.height - b.height || (a.place < b.place ? -1 : 1));
    expect(sorted.map(({ height }) => height)).toEqual(events.map(({ height }) => height));
  });

  it.each([
    [
      'Alchemy',
      (from: number) => ({
        code: -32600,
        message: `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${hex(from)}, ${hex(from + 9)}]. Upgrade to PAYG`,
      }),
    ],
    [
      'Infura',
      (from: number, to: number) => ({
        code: -32602,
        message: `range ${to - from} exceeds limit of 10`,
      }),
    ],
    [
      'Infura by results',
      () => ({ code: -32005, message: 'query returned more than 10000 results' }),
    ],
    ['QuickNode', () => ({ code: -32614, message: 'eth_getLogs is limited to a 10,000 range' })],
    ['Ankr', () => ({ code: -32600, message: 'block range is too wide' })],
    [
      'Erigon',
      () => ({
        code: -32000,
        message: 'query block range exceeds server limit, narrow your filter: 10',
      }),
    ],
    [
      'Reth with the same range',
      (from: number, to: number) => ({
        code: -32602,
        message: `query exceeds max results 20000, retry with the range ${from}-${to}`,
      }),
    ],
    [
      'one that hints at more',
      (from: number, to: number) => ({
        code: -32602,
        message: `retry with the range ${from}-${to * 2}`,
      }),
    ],
    [
      'one that hints at nothing',
      (from: number) => ({ code: -32602, message: `retry with the range ${from}-${from - 1}` }),
    ],
  ])('narrows its ranges for %s', async (_, refusal) => {
    const node = await openChainNode(new EvmChain(300, LOGS));
    node.does = { widest: 10, refusal };
    const source = open([node]);
    expect(await readAll(source)).toEqual(await expected(300));
    // A width that was refused is never requested again.
    const refused = node.ranges.filter(([from, to]) => to - from + 1 > 10);
    expect(refused.length / FILTERS).toBeLessThan(15);
    expect(source.nodes()[0]?.widest).toBe(10);
  });

  it('says of no node that it answers more at once than it does', async () => {
    const node = await openChainNode(new EvmChain(1_000, LOGS));
    node.does = { widest: 64, refusal: () => ({ code: -32602, message: 'too wide' }) };
    const source = open([node]);
    await readAll(source);
    const { widest } = source.nodes()[0] ?? {};
    expect(widest).toBeGreaterThan(32);
    expect(widest).toBeLessThanOrEqual(64);
  });

  it('narrows them for responses that are too large, or too slow', async () => {
    const node = await openChainNode(new EvmChain(1_500, LOGS));
    node.does = {
      instead(res, calls) {
        const asked = calls.find(({ method }) => method === 'eth_getLogs');
        const [range] = (asked?.params ?? []) as [{ fromBlock: string; toBlock: string }?];
        const width = Number(range?.toBlock) - Number(range?.fromBlock) + 1;
        if (!(width > 200)) return false;
        if (width > 600) res.end(`[${' '.repeat(200_000)}`);
        else res.write('[{');
        return true;
      },
    };
    const source = open([node], { maxBytes: 100_000, timeoutMs: patienceMs(300) });
    expect(await readAll(source)).toEqual(await expected(1_500));
  });

  it('slows down when told to, with and without a time', async () => {
    const node = await openChainNode(new EvmChain(3_000, LOGS));
    let refusals = 0;
    node.does = {
      instead(res) {
        refusals += 1;
        if (refusals > 3) return false;
        if (refusals % 3 === 0) {
          res.end(
            JSON.stringify({
              jsonrpc: '2.0',
              id: null,
              error: { code: 429, message: 'compute units per second capacity' },
            }),
          );
          return true;
        }
        res.statusCode = 429;
        if (refusals % 2 === 0) res.setHeader('retry-after', '0');
        res.end('slow down');
        return true;
      },
    };
    expect(await readAll(open([node]), 10)).toEqual(await expected());
  });

  it('reads times from headers if logs have none, in few requests', async () => {
    for (const blockTimestamp of ['0x0', undefined]) {
      const node = await openChainNode(new EvmChain(3_000, LOGS));
      node.does = { alters: (log) => ({ ...log, blockTimestamp }) };
      expect(await readAll(open([node]))).toEqual(await expected());
      // A batch of headers per range, the chain id, the head, and the position before the first block.
      const ranges = new Set(node.ranges.map(([from]) => from)).size;
      expect(node.requests).toBeLessThanOrEqual(2 * ranges + 4);
    }
  });

  it.each([0, 1, 2, 3])('splits batches for one that takes %i calls at once', async (batch) => {
    const node = await openChainNode(new EvmChain(3_000, LOGS));
    node.does = { batch };
    expect(await readAll(open([node]))).toEqual(await expected());
    expect(node.refusedBatches).toBeLessThanOrEqual(4);
  });

  it('asks for several ranges at once and gives them in order', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const node = await openChainNode(chain);
    const source = open([node]);
    const from = await source.begin({ kind: 'height', height: 1n }, signal);
    const first = await source.read({ inputs: INPUTS, from, upTo: 3_000, signal });
    // The next four are requested; the first one is answered last.
    const held: (() => void)[] = [];
    const all = Promise.withResolvers<void>();
    node.does = {
      widest: 250,
      instead(res, calls) {
        if (!calls.some(({ method }) => method === 'eth_getLogs')) return false;
        held.push(() => res.destroy());
        if (held.length === 4) all.resolve();
        return true;
      },
    };
    const next = source.read({ inputs: INPUTS, from: first.end, upTo: 3_000, signal });
    await all.promise;
    expect(held).toHaveLength(4);
    node.does = {};
    for (const letGo of held.toReversed()) letGo();
    const { events, end } = await next;
    const rest = await readFrom(source, end);
    expect([...first.events, ...events, ...rest]).toEqual(await expected());
  });

  it('sends little more than one request per range', async () => {
    const node = await openChainNode(new EvmChain(100_000, LOGS));
    await readAll(open([node]));
    const ranges = new Set(node.ranges.map(([from]) => from)).size;
    // The chain id, the head, and the position before the first block.
    expect(node.requests - 4).toBeLessThanOrEqual(1.2 * ranges);
  });

  it('sorts shuffled logs, and drops duplicates and strangers', async () => {
    const node = await openChainNode(new EvmChain(3_000, LOGS));
    node.does = { shuffles: true };
    expect(await readAll(open([node]))).toEqual(await expected());
    // With an additional log that wasn't requested.
    node.does = {
      alters: (log) => (log.blockNumber === hex(55) ? { ...log, address: A } : log),
    };
    const events = await readAll(open([node]));
    expect(events).toEqual((await expected()).filter(({ height }) => height !== 55));
  });

  it("accepts nothing from a node that's behind or has pruned", async () => {
    const chain = new EvmChain(3_000, LOGS);
    for (const does of [{ knowsUpTo: 1_000 }, { prunedBelow: 2_000 }]) {
      const node = await openChainNode(chain);
      const source = open([node]);
      const from = await source.begin({ kind: 'height', height: 1n }, signal);
      node.does = does;
      const reading = source.read({ inputs: INPUTS, from, upTo: 3_000, signal });
      // The first range may end below the node's head; the last one never does.
      const outcome = await reading.then(
        ({ end }) => end.height,
        (error: unknown) => error,
      );
      if (typeof outcome === 'number') expect(outcome).toBeLessThanOrEqual(1_000);
      else expect(outcome).toBeInstanceOf(RetryableError);
    }
  });

  it('fails over to the next node, and back', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const [first, second, third] = await Promise.all([chain, chain, chain].map(openChainNode));
    if (!first || !second || !third) throw new Error('no nodes');
    const source = open([first, second, third]);
    let at = await source.begin({ kind: 'height', height: 1n }, signal);
    const nodes = [first, second, third];
    /** Reads up to a height. @returns which nodes responded */
    const read = async (upTo: number) => {
      const before = nodes.map(({ ranges }) => ranges.length);
      while (at.height < upTo) {
        ({ end: at } = await source.read({ inputs: INPUTS, from: at, upTo, signal }));
      }
      return nodes.map(({ ranges }, place) => ranges.length > (before[place] ?? 0));
    };
    expect(await read(100)).toEqual([true, true, false]);
    first.does = { instead: (res) => Boolean(res.destroy()) };
    expect(await read(200)).toEqual([false, true, true]);
    expect(source.nodes()[0]).toMatchObject({ state: 'failing', host: first.host });
    first.does = {};
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await read(300)).toEqual([true, true, false]);
    expect(source.nodes()[0]).toMatchObject({ state: 'ok' });
  });

  it.each(['hang', 'drip', 'huge'] as const)(
    'leaves a node out that answers nothing in time or size (%s), without asking it for ever less',
    async (how) => {
      const chain = new EvmChain(3_000, LOGS);
      const nodes = await Promise.all([chain, chain, chain].map(openChainNode));
      const [bad] = nodes as [ChainNode, ...ChainNode[]];
      let asked = 0;
      bad.does.instead = (res) => {
        asked += 1;
        misbehave(res, how, ' '.repeat(200_000));
        return true;
      };
      const restMs = { first: 60_000, most: 60_000 };
      const source = open(nodes, { timeoutMs: patienceMs(500), maxBytes: 100_000, restMs });
      expect(await readAll(source)).toEqual(await expected());
      expect(source.nodes().map(({ state }) => state)).toEqual(['failing', 'ok', 'ok']);
      expect(asked).toBeLessThanOrEqual(4);
    },
  );

  it('has a head soon though a third node hangs', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const nodes = await Promise.all([chain, chain, chain].map(openChainNode));
    const [bad] = nodes as [ChainNode, ...ChainNode[]];
    bad.does.instead = () => true;
    const source = open(nodes, { timeoutMs: 3_600_000 });
    expect(await source.end(signal)).toMatchObject({ height: 3_000 });
    expect(source.nodes().map(({ state }) => state)).toEqual(['failing', 'ok', 'ok']);
    expect(source.nodes()[0]?.lastFault).toBe(`${bad.host} took too long to respond.`);
  });

  it('asks a node that hangs at ranges no more than once for each', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const nodes = await Promise.all([chain, chain, chain].map(openChainNode));
    const [bad] = nodes as [ChainNode, ...ChainNode[]];
    let hung = 0;
    bad.does.instead = (_, calls) => {
      const isRange = calls.some(({ method }) => method === 'eth_getLogs');
      // Behind that, everything hangs.
      if (isRange) hung += 1;
      return hung > 0;
    };
    const source = open(nodes, {
      timeoutMs: patienceMs(500),
      restMs: { first: 60_000, most: 60_000 },
    });
    expect(await readAll(source)).toEqual(await expected());
    expect(hung).toBe(1);
  });

  it('never counts what two nodes disagree about, unless a third settles it', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const hides = (log: object) => 'blockNumber' in log && log.blockNumber === hex(1_005);
    for (const liar of [0, 1]) {
      const nodes = await Promise.all([chain, chain, chain].map(openChainNode));
      (nodes[liar] as ChainNode).does = { hides };
      await expect(readAll(open(nodes.slice(0, 2)))).rejects.toThrow(SourceStopped);
      // Long enough for the liar not to be asked, and forgiven, again.
      const source = open(nodes, { timeoutMs: 50_000, restMs: { first: 60_000, most: 60_000 } });
      expect(await readAll(source, 20)).toEqual(await expected());
      // Its last fault is forgotten once it has answered well again.
      expect(source.nodes().map(({ failures }) => failures > 0)).toEqual(
        [0, 1, 2].map((place) => place === liar),
      );
    }
  });

  it("waits for a second node while it's away, or keeps no blocks that old", async () => {
    const chain = new EvmChain(3_000, LOGS);
    const [one, other] = await Promise.all([chain, chain].map(openChainNode));
    if (!one || !other) throw new Error('no nodes');
    other.does = { instead: (res) => Boolean(res.destroy()) };
    const source = open([one, other], { restMs: { first: 1, most: 1_000 } });
    await expect(readAll(source)).rejects.toThrow(RetryableError);
    other.does = { prunedBelow: 2_900 };
    const again = open([one, other], { restMs: { first: 1, most: 60_000 } });
    await expect(readAll(again)).rejects.toThrow('have block');
    other.does = {};
    const whole = open([one, other], { restMs: { first: 1, most: 60_000 } });
    expect(await readAll(whole, 5)).toEqual(await expected());
  });

  it('stops if the last block that it read has changed', async () => {
    const chain = new EvmChain(3_000, LOGS);
    const node = await openChainNode(chain);
    const source = open([node]);
    const from = await source.begin({ kind: 'height', height: 2_000n }, signal);
    chain.forkedAt = 1_000;
    const reading = source.read({ inputs: INPUTS, from, upTo: 3_000, signal });
    await expect(reading).rejects.toThrow(SourceStopped);
    await expect(reading).rejects.toThrow('Block 1999 was');
  });

  it("never shows more of a node's URL than its host", async () => {
    const chain = new EvmChain(3_000, LOGS, 10);
    const node = await openChainNode(chain);
    const source = open([node]);
    const failed = await source.end(signal).catch((error: unknown) => error);
    expect(String(failed)).toContain(`${node.host} is of chain 10, not of 1`);
    expect(String(failed) + JSON.stringify(source.nodes())).not.toContain(NODE_SECRET);
    expect(source.nodes()[0]?.state).toBe('unfit');
  });

  it('begins at a day, and reads only what is deep enough', async () => {
    const chain = new EvmChain(30_000, LOGS);
    const node = await openChainNode(chain);
    const source = open([node], { source: { id: 'eth', chain: 'eip155:1', depth: 64 } });
    expect((await source.end(signal)).height).toBe(29_936);
    const day = Math.ceil(timeOf(5_000) / 86_400);
    const from = await source.begin({ kind: 'day', day }, signal);
    expect(from.time).toBeLessThan(day * 86_400);
    expect(timeOf(from.height + 1)).toBeGreaterThanOrEqual(day * 86_400);
  });

  it('requests balances at the last block that it read', async () => {
    const node = await openChainNode(new EvmChain(3_000, LOGS));
    node.balances.set(B, 7n);
    const source = open([node]);
    const at = await source.end(signal);
    const [, input] = INPUTS;
    if (input === undefined) throw new Error('no input');
    const asked = await source.balancesOf({ input, addresses: [A, B], at, signal });
    expect(asked).toEqual([0n, 7n]);
  });
});
