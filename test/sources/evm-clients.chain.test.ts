import { describe, expect, it, vi } from 'vitest';
import { NodeFault } from '#sources/node/fault';
import { type ChainNode, EvmChain, hex, openChainNode, timeOf } from '../support/evm-chain.ts';
import {
  expected,
  INPUTS,
  LOGS,
  open,
  readAll,
  readFrom,
  readPlainly,
  signal,
} from '../support/evm-reading.ts';
import { patienceMs } from '../support/patience.ts';

/*
 * What clients of other chains do that geth doesn't. Each says the same of a chain, in its own way.
 */

const HEAD = 3_000;

async function nodeOf(does: ChainNode['does'], chain = new EvmChain(HEAD, LOGS)) {
  const node = await openChainNode(chain);
  node.does = does;
  return node;
}

describe('an EVM client that', () => {
  it('sends null in place of an empty list of logs is read as any other', async () => {
    const node = await nodeOf({
      answers: (answer) =>
        Array.isArray(answer.result) && answer.result.length === 0
          ? { ...answer, result: null }
          : answer,
    });
    expect(await readAll(open([node]))).toEqual(await expected());
  });

  it('sends ids back as text is read as any other', async () => {
    const node = await nodeOf({ answers: (answer) => ({ ...answer, id: String(answer.id) }) });
    expect(await readAll(open([node]))).toEqual(await expected());
  });

  it.each([
    ['in each call of it', (count: number) => count],
    ['once, in a list', () => 1],
  ])('refuses a long batch %s gets shorter ones', async (_, times) => {
    const node = await nodeOf({
      instead(res, calls) {
        if (calls.length <= 2) return false;
        const error = { code: -32005, message: 'batch limit exceeded: at most 2 calls' };
        const all = calls.slice(0, times(calls.length));
        res.end(JSON.stringify(all.map(({ id }) => ({ jsonrpc: '2.0', id, error }))));
        return true;
      },
    });
    expect(await readAll(open([node]))).toEqual(await expected());
    expect(node.ranges.length).toBeLessThan(HEAD / 10);
  });

  const refusal = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message } });
  type Calls = readonly { readonly id: number }[];

  it.each<[string, number, (calls: Calls, most: number) => object | string, number]>([
    ['a status and words', 413, () => '<html>too large', 2],
    ['a status and words, as it takes no batches', 413, () => '<html>too large', 1],
    ['a status that says nothing of length', 400, () => 'Bad Request', 2],
    [
      'one error without an id in a list',
      200,
      () => [{ id: null, ...refusal(-32600, 'too large') }],
      2,
    ],
    [
      'an error in place of each call that is too many',
      200,
      (calls, most) =>
        calls.map(({ id }, at) =>
          at < most
            ? { jsonrpc: '2.0', id, result: null }
            : { id, ...refusal(-32005, 'limit exceeded') },
        ),
      2,
    ],
    [
      'words that speak of too many requests',
      200,
      (calls) => calls.map(({ id }) => ({ id, ...refusal(-32005, 'too many requests in batch') })),
      1,
    ],
    [
      'the same words once',
      200,
      () => ({ id: null, ...refusal(-32600, 'Too many requests in a batch (at most 2)') }),
      2,
    ],
  ])('refuses a long batch by %s gets shorter ones', async (_, status, told, most) => {
    const node = await nodeOf({
      instead(res, calls) {
        if (calls.length <= most) return false;
        const body = told(calls, most);
        res.statusCode = status;
        res.end(typeof body === 'string' ? body : JSON.stringify(body));
        return true;
      },
    });
    expect(await readAll(open([node]))).toEqual(await expected());
    // It isn't the ranges that get narrower for good.
    expect(node.ranges.length).toBeLessThan(HEAD / 20);
  });

  it.each<[string, number, object | string]>([
    ['a status', 413, '<html>'],
    ['a status that says nothing of width', 400, 'Bad Request'],
    [
      'one error for the whole batch',
      500,
      { id: null, ...refusal(-32000, 'query timeout exceeded') },
    ],
    [
      'words about archive nodes, too,',
      200,
      { id: null, ...refusal(-32602, 'block range is over 64: order an archive node for more') },
    ],
  ])('refuses wide ranges by %s is still asked in batches', async (_, status, body) => {
    const chain = new EvmChain(
      3_200,
      LOGS.filter(({ block }) => block <= 3_200),
    );
    const node = await nodeOf(
      {
        instead(res, calls) {
          const isWide = calls.some(({ method, params }) => {
            const [asked] = params as [{ fromBlock: string; toBlock: string }];
            return (
              method === 'eth_getLogs' && Number(asked.toBlock) - Number(asked.fromBlock) >= 64
            );
          });
          if (!isWide) return false;
          res.statusCode = status;
          res.end(typeof body === 'string' ? body : JSON.stringify(body));
          return true;
        },
      },
      chain,
    );
    await readAll(open([node]));
    // With what is asked to begin with, and to find out about the width.
    expect(node.requests).toBeLessThanOrEqual(1.5 * (3_200 / 64) + 20);
  });

  it.each<[string, number, object | string]>([
    ['a gateway that times out', 504, 'gateway timeout'],
    ['an internal error', 200, refusal(-32603, 'Internal error')],
  ])(
    'answers every fifth request by %s is read with few requests more',
    async (_, status, body) => {
      const plain = await nodeOf({});
      await readAll(open([plain]));
      const node = await nodeOf({});
      let asked = 0;
      node.does.instead = (res, calls) => {
        asked += 1;
        if (asked % 5 !== 0) return false;
        res.statusCode = status;
        res.end(
          typeof body === 'string'
            ? body
            : JSON.stringify(
                calls
                  .map(({ id }) => ({ id, ...body }))
                  .slice(...(calls.length === 1 ? [0, 1] : [])),
              ),
        );
        return true;
      };
      expect(await readAll(open([node]))).toEqual(await expected());
      expect(node.requests).toBeLessThanOrEqual(3 * plain.requests);
    },
  );

  /* Words for a range beyond the head: execution-apis and geth, Reth, ethrex, others. */
  it.each([
    [-32602, 'block range extends beyond current head block'],
    [-32602, 'block range extends beyond current head block: requested 3000, head 1500'],
    [-32602, 'invalid block range params'],
    [-32603, 'Internal Error: Could not get header for block 3000'],
    [-32603, 'height 3000 must be less than or equal to the current blockchain height 1500'],
    [-32000, 'header not found'],
    [-32000, 'requested from block 2950 to block 2960 after last accepted block 2951'],
    [
      -32000,
      'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.',
    ],
  ])('lacks the newest blocks is behind, and has no limit (%s %s)', async (code, message) => {
    const head = 2_960;
    const node = await nodeOf({}, new EvmChain(head, LOGS));
    const source = open([node]);
    // So few blocks that none of them, above or below the one that it lacks, takes long to look for.
    const from = await source.begin({ kind: 'height', height: BigInt(head - 10) }, signal);
    const { height: upTo } = await source.end(signal);
    node.does = { knowsUpTo: from.height + 1, beyond: { code, message } };
    const read = source.read({ inputs: INPUTS, from, upTo, signal });
    await expect(read).rejects.toThrow(/doesn't have block \d+/);
    expect(node.ranges.length).toBeLessThanOrEqual(8);
    node.does = {};
    // It rests for some milliseconds.
    const all = await vi.waitFor(() => readFrom(source, from, 20), { timeout: patienceMs() });
    expect(all).toHaveLength(1);
    expect(all).toEqual(
      (await expected()).filter(({ height }) => height > from.height && height <= head),
    );
    expect(source.nodes()[0]?.widest).toBeUndefined();
  });

  it.each([
    ['null', undefined],
    ['an error', { code: 1, message: 'requested epoch was a null round (40)' }],
  ])('has no block in some rounds, and answers %s, is read through them', async (_, error) => {
    const chain = new EvmChain(HEAD, LOGS);
    const filled = new Set(LOGS.map(({ block }) => block));
    for (let at = 2; at < HEAD; at++) {
      if (at % 50 > 9 && at % 3 !== 0 && !filled.has(at)) chain.rounds.add(at);
    }
    const does: ChainNode['does'] = {
      answers(answer, { method, params }) {
        const isRound = method === 'eth_getBlockByNumber' && chain.rounds.has(Number(params[0]));
        if (error === undefined || !isRound) return answer;
        const { result: _none, ...rest } = answer;
        return { ...rest, error };
      },
    };
    const nodes = [await nodeOf(does, chain), await nodeOf(does, chain)];
    const source = open(nodes);
    const events = await readAll(source);
    expect(events).toEqual(await expected());
    // From any height on, one without a block included.
    const begin = await source.begin({ kind: 'height', height: 12n }, signal);
    expect(begin).toMatchObject({ height: 11, hash: chain.hashOf(9), time: timeOf(9) });
    expect(await readFrom(source, begin)).toEqual(events.filter(({ height }) => height > 11));
  });

  it('lacks a block that the next one names as its parent is not taken to have had a round', async () => {
    const chain = new EvmChain(HEAD, LOGS);
    const node = await nodeOf(
      {
        answers: (answer, { method, params }) =>
          method === 'eth_getBlockByNumber' && Number(params[0]) === 1_000
            ? { ...answer, result: null }
            : answer,
      },
      chain,
    );
    const reading = open([node]).begin({ kind: 'height', height: 1_001n }, signal);
    await expect(reading).rejects.toThrow("doesn't have block 1000");
    await expect(reading).rejects.toBeInstanceOf(NodeFault);
  });

  it('restarts log numbers in each transaction, or gives all the same, is read in order', async () => {
    const chain = new EvmChain(HEAD, [
      ...LOGS,
      // A vote and transfers in the transactions of one block.
      ...LOGS.filter(({ block }) => block === 100 || block === 105).map((log) => ({
        ...log,
        block: 1_501,
      })),
    ]);
    const plain = await readPlainly(chain);
    const alike: ChainNode['does'] = { alters: (log) => ({ ...log, logIndex: '0x0' }) };
    const restarting: ChainNode['does'] = {
      alters: (log) => ({ ...log, logIndex: hex(Number(log.logIndex) % 2) }),
    };
    for (const does of [restarting, alike]) {
      const nodes = [await nodeOf(does, chain), await nodeOf(does, chain)];
      const events = await readAll(open(nodes));
      const withoutPlace = (all: typeof plain) => all.map(({ place: _, ...event }) => event);
      expect(withoutPlace(events)).toEqual(withoutPlace(plain));
      const places = events.map(
        ({ input, height, place, wallet }) => `${input} ${height} ${place} ${wallet.address}`,
      );
      expect(new Set(places).size).toBe(places.length);
    }
  });

  it('has several logs with one number places them alike, whatever else is read beside them', async () => {
    const chain = new EvmChain(
      200,
      LOGS.filter(({ block }) => block <= 105).map((log) => ({ ...log, block: 100 })),
    );
    const alike: ChainNode['does'] = {
      alters: (log) => ({ ...log, logIndex: '0x0', transactionIndex: '0x0' }),
    };
    const source = open([await nodeOf(alike, chain)]);
    const from = await source.begin({ kind: 'height', height: 1n }, signal);
    const placesOf = async (inputs: typeof INPUTS) =>
      (await source.read({ inputs, from, upTo: 200, signal })).events.map(
        ({ wallet, place, args }) => [wallet.address, place, args],
      );
    const together = await placesOf(INPUTS);
    const apart = [...(await placesOf(INPUTS.slice(0, 1))), ...(await placesOf(INPUTS.slice(1)))];
    const sorted = (all: typeof apart) => all.map(String).toSorted();
    expect(sorted(together)).toEqual(sorted(apart));
    expect(together.length).toBeGreaterThan(3);
  });

  it('dates a block a second before its parent is read, and one that dates it an hour before is not', async () => {
    const dating = (seconds: number): ChainNode['does'] => ({
      dates: (header) =>
        header.number === hex(105) ? { ...header, timestamp: hex(timeOf(104) - seconds) } : header,
      alters: ({ blockTimestamp: _, ...log }) => log,
    });
    const chain = new EvmChain(HEAD, [
      ...LOGS,
      ...LOGS.filter(({ block }) => block === 105).map((log) => ({ ...log, block: 104 })),
    ]);
    const events = await readAll(open([await nodeOf(dating(1), chain)]));
    expect(events.find(({ height }) => height === 105)?.time).toBe(timeOf(104) - 1);
    await expect(readAll(open([await nodeOf(dating(3_600), chain)]))).rejects.toThrow(
      'older than those before them',
    );
  });
});

it('a node that serves 64 blocks at once is asked for little more than they take', async () => {
  const node = await nodeOf(
    { widest: 64 },
    new EvmChain(
      3_200,
      LOGS.filter(({ block }) => block <= 3_200),
    ),
  );
  await readAll(open([node]));
  // Each range is asked for with two filters.
  const ranges = new Set(node.ranges.map(([from, to]) => `${from} ${to}`)).size;
  expect(ranges).toBeLessThanOrEqual(1.5 * (3_200 / 64));
});
