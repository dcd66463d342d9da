import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SolanaSource } from '#sources/solana/index';
import { FOREVER, readAll } from '../../support/sources/read-all.ts';
import {
  keyNamed,
  openSolanaNode,
  type SolanaStandIn,
  signatureOf,
  type TestTransaction,
} from '../../support/sources/solana-chain.ts';
import { inputs, keeping, PROGRAM, rule, sourceOf } from '../../support/sources/solana-source.ts';

const OTHER = keyNamed('other program');
const [A, B, C] = [keyNamed('a'), keyNamed('b'), keyNamed('c')];

const someTransactions = fc
  .array(
    fc.record({
      slot: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 300, max: 306 })),
      signer: fc.constantFrom(A, B, C),
      isFailed: fc.boolean(),
      instructions: fc.array(
        fc.record({
          program: fc.constantFrom(PROGRAM, OTHER),
          data: fc.constantFrom('', '01', '0102', '02'),
          accounts: fc.uniqueArray(fc.constantFrom(A, B, C), { maxLength: 3 }),
          inner: fc.array(
            fc.record({
              program: fc.constantFrom(PROGRAM, OTHER),
              data: fc.constantFrom('', '01', '02'),
              accounts: fc.constant([B]),
            }),
            { maxLength: 2 },
          ),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    { maxLength: 60 },
  )
  .map((all): TestTransaction[] => all.toSorted((one, other) => one.slot - other.slot));

const RULES = [rule('0x01', 'signer'), rule('0x', '{account: 0}', OTHER)];

/** The same from a plain loop over all transactions. */
function modelOf(transactions: readonly TestTransaction[]): string[] {
  const found = transactions.flatMap((transaction, place) => {
    const { slot, signer, instructions, isFailed } = transaction;
    if (isFailed) return [];
    const signature = signatureOf(transaction, place);
    const paths = instructions.flatMap((each, outer) => [
      { path: [outer], ...each },
      ...(each.inner ?? []).map((called, at) => ({ path: [outer, at], ...called })),
    ]);
    return paths.flatMap(({ path, program, data = '', accounts = [] }) => {
      const key = `${String(slot).padStart(5, '0')} ${signature} ${path.join('.')}`;
      if (program === PROGRAM) return data.startsWith('01') ? [`${key} 0 ${signer}`] : [];
      return accounts[0] === undefined ? [] : [`${key} 1 ${accounts[0]}`];
    });
  });
  return found.sort();
}

async function readAsModel(chain: SolanaSource, retries: number): Promise<string[]> {
  const { events } = await readAll(chain, inputs(...RULES), retries);
  return events.map(({ input, wallet, height, place }) => {
    const [signature, ...path] = place.split('.');
    const numbers = path.map((each) => each.slice(1)).join('.');
    return `${String(height).padStart(5, '0')} ${signature} ${numbers} ${input} ${wallet.address}`;
  });
}

describe('reading', () => {
  it('gives the same whatever pages, orders and passing faults there are', async () => {
    const rough = fc.record({
      pageMost: fc.integer({ min: 16, max: 40 }),
      isReversed: fc.boolean(),
      faults: fc.uniqueArray(fc.nat(80), { maxLength: 25 }),
      mostHeld: fc.integer({ min: 1, max: 60 }),
      skipped: fc.array(fc.integer({ min: 1, max: 450 }), { maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(someTransactions, rough, async (transactions, how) => {
        const used = new Set(transactions.map(({ slot }) => slot));
        const node = await openSolanaNode({
          transactions,
          head: 460,
          pageMost: how.pageMost,
          skipped: new Set(how.skipped.filter((each) => !used.has(each))),
        });
        let calls = 0;
        // The order within a slot alternates between calls.
        node.chain.inSlot = (all) => (how.isReversed && calls++ % 2 === 0 ? all.toReversed() : all);
        let asked = 0;
        node.instead = () => {
          asked += 1;
          return how.faults.includes(asked) ? 'reset' : undefined;
        };
        const perSlot = Map.groupBy(transactions, ({ slot }) => slot);
        // If a slot fills a whole page, it can't be told whether it continues.
        fc.pre([...perSlot.values()].every(({ length }) => length < how.pageMost));
        expect(await readAsModel(keeping(how.mostHeld, node), 40)).toEqual(modelOf(transactions));
      }),
      { numRuns: 15 },
    );
  });

  it('continues if the list is longer than what is kept of it', async () => {
    const transactions = Array.from({ length: 1_300 }, (_, at): TestTransaction => {
      const isFailed = at % 3 !== 0;
      return {
        slot: 10 + at,
        signer: A,
        instructions: [{ program: PROGRAM, data: '01' }],
        isFailed,
      };
    });
    const node = await openSolanaNode({ transactions, head: 1_500, pageMost: 100 });
    const chain = sourceOf(node);
    const read = await readAll(chain, inputs(rule('0x01', 'signer')));
    expect(read.events).toHaveLength(434);
    const pages = node.methods.filter((method) => method === 'getSignaturesForAddress');
    expect(pages.length).toBeLessThan(30);
  });

  it('sees new slots, and reads nothing known a second time', async () => {
    const transactions: TestTransaction[] = [3, 90, 250].map((slot) => ({
      slot,
      signer: A,
      instructions: [{ program: PROGRAM }],
    }));
    const node = await openSolanaNode({ transactions, head: 100 });
    const chain = sourceOf(node);
    const wanted = inputs(rule('0x', 'signer'));
    const first = await readAll(chain, wanted);
    expect(first.events.map(({ height }) => height)).toEqual([3, 90]);
    node.chain.head = 300;
    node.methods.length = 0;
    const request = { inputs: wanted, from: first.end, upTo: 300, signal: FOREVER };
    const next = await chain.read(request);
    expect(next.events.map(({ height }) => height)).toEqual([250]);
    expect(node.methods.filter((method) => method === 'getTransaction')).toHaveLength(1);
  });

  it('reads up to where other rules are, however much lies beyond', async () => {
    const transactions = Array.from({ length: 60 }, (_, at): TestTransaction => {
      return { slot: 10 + at * 5, signer: A, instructions: [{ program: PROGRAM }] };
    });
    const node = await openSolanaNode({ transactions, pageMost: 7 });
    const chain = keeping(10, node);
    const wanted = inputs(rule('0x', 'signer'));
    const heights: number[] = [];
    let from = await chain.begin({ kind: 'height', height: 1n }, FOREVER);
    for (const upTo of [42, 200, 1_000]) {
      while (from.height < upTo) {
        const { events, end } = await chain.read({ inputs: wanted, from, upTo, signal: FOREVER });
        expect(end.height).toBeLessThanOrEqual(upTo);
        heights.push(...events.map(({ height }) => height));
        from = end;
      }
    }
    expect(heights).toEqual(transactions.map(({ slot }) => slot));
  });

  it('begins at the first slot of a day, even if the slot before has no block', async () => {
    const skipped = new Set(Array.from({ length: 50 }, (_, at) => 10_000 + at));
    const node = await openSolanaNode({
      genesisTime: 19_676 * 86_400 - 4_010,
      head: 200_000,
      skipped,
    });
    const chain = sourceOf(node);
    // 10,025 slots after the first one, in the middle of those without a block.
    const day = await chain.begin({ kind: 'day', day: 19_676 }, FOREVER);
    expect(day.height).toBe(9_999);
    const slot = await chain.begin({ kind: 'height', height: 10_020n }, FOREVER);
    expect(slot.height).toBe(9_999);
    await expect(chain.begin({ kind: 'height', height: 10n ** 12n }, FOREVER)).rejects.toThrow(
      'yet',
    );
  });

  it.each<[string, (node: SolanaStandIn) => void, string]>([
    ['is of another network', ({ chain }) => Object.assign(chain, { genesis: A }), 'mainnet'],
    [
      'has pruned what is asked for',
      ({ chain }) => {
        chain.firstAvailable = 30;
      },
      'no longer has',
    ],
    [
      "lists a transaction that it doesn't have",
      ({ chain }) => chain.missing.add(signatureOf(chain.transactions[0]!, 0)),
      'lists',
    ],
    [
      'has a transaction newer than any we know',
      ({ chain }) => {
        chain.transactions = chain.transactions.map((each) => ({ ...each, version: 2 }));
      },
      'has a transaction of an unknown version',
    ],
    [
      'lists out of order',
      (node) => garble(node, 'getSignaturesForAddress', (list: Sent[]) => list.toReversed()),
      'out of order',
    ],
    [
      'lists the same page for ever',
      (node) =>
        garble(node, 'getSignaturesForAddress', ([first]: Sent[]) =>
          Array.from({ length: 1_000 }, () => first),
        ),
      'again and again',
    ],
    [
      'sends another transaction',
      (node) => garble(node, 'getTransaction', (sent: Sent) => ({ ...sent, slot: 41 })),
      'another transaction',
    ],
    [
      'sends something else',
      (node) => garble(node, 'getTransaction', (sent: Sent) => ({ ...sent, meta: null })),
      'at /meta',
    ],
    [
      'knows no times',
      (node) => garble(node, 'getBlock', (sent: Sent) => ({ ...sent, blockTime: null })),
      'the time of slot',
    ],
  ])('stops if a node %s', async (_, spoil, words) => {
    const transactions: TestTransaction[] = [40, 50].map((slot) => ({
      slot,
      signer: A,
      instructions: [{ program: PROGRAM }],
    }));
    const node = await openSolanaNode({ transactions });
    spoil(node);
    const reading = readAll(sourceOf(node), inputs(rule('0x', 'signer')));
    const error: unknown = await reading.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RetryableError' });
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain('kEy');
  });

  it('stops if a slot that was read has more than it had', async () => {
    const transactions: TestTransaction[] = [80, 95].map((slot) => ({
      slot,
      signer: A,
      instructions: [{ program: PROGRAM }],
    }));
    const node = await openSolanaNode({ transactions, head: 100 });
    node.chain.unlisted.add(signatureOf(transactions[0]!, 0));
    const chain = sourceOf(node);
    const wanted = inputs(rule('0x', 'signer'));
    const { end } = await readAll(chain, wanted);
    node.chain.unlisted.clear();
    node.chain.head = 120;
    const reading = chain.read({ inputs: wanted, from: end, upTo: 120, signal: FOREVER });
    await expect(reading).rejects.toMatchObject({ name: 'SourceStopped' });
  });

  it('stops if the last block that it read has changed', async () => {
    const chain = sourceOf(await openSolanaNode());
    const from = { height: 50, hash: keyNamed('a fork'), time: 1 };
    const reading = chain.read({ inputs: inputs(RULES[0]!), from, upTo: 60, signal: FOREVER });
    await expect(reading).rejects.toMatchObject({ name: 'SourceStopped' });
  });

  it('counts nothing if one of two nodes leaves something out, until a third settles it', async () => {
    const transactions: TestTransaction[] = [40, 50].map((slot) => ({
      slot,
      signer: A,
      instructions: [{ program: PROGRAM }],
    }));
    const [liar, honest, third] = await Promise.all(
      [1, 2, 3].map(() => openSolanaNode({ transactions })),
    );
    liar!.chain.unlisted.add(signatureOf(transactions[0]!, 0));
    const wanted = inputs(rule('0x', 'signer'));
    const two = readAll(sourceOf(liar!, honest!), wanted);
    await expect(two).rejects.toThrow(
      `${liar!.host} lacks 1 event of slot 40 that ${honest!.host} has.`,
    );
    const { events } = await readAll(sourceOf(liar!, honest!, third!), wanted);
    expect(events).toHaveLength(2);
  });

  it.each([
    // A gateway may time out for a moment, so it's asked once more.
    { answer: { status: 504, body: '' }, times: 2 },
    { answer: { body: ' '.repeat(17 * 1024 * 1024) }, times: 1 },
  ])(
    'goes on without a node whose responses are too much (%#), as there is no asking for less',
    async ({ answer, times }) => {
      const transactions: TestTransaction[] = [40, 50].map((slot) => ({
        ...{ slot, signer: A, instructions: [{ program: PROGRAM }] },
      }));
      const nodes = await Promise.all([1, 2, 3].map(() => openSolanaNode({ transactions })));
      nodes[0]!.instead = () => answer;
      const chain = sourceOf(...nodes);
      const { events } = await readAll(chain, inputs(rule('0x', 'signer')));
      expect(events).toHaveLength(2);
      expect(chain.nodes()[0]).toMatchObject({ state: 'failing' });
      const asked = nodes.map(({ requests }) => requests.length) as [number, number, number];
      expect(asked[0]).toBeLessThanOrEqual(times * asked[1]);
    },
  );
});

type Sent = Record<string, unknown>;

/** Changes the result of every call of a method. */
function garble<T>(node: SolanaStandIn, method: string, change: (result: T) => unknown): void {
  const { transactions } = node.chain;
  node.instead = ({ body }) => {
    const request = JSON.parse(body) as { id: number; method: string };
    if (request.method !== method) return undefined;
    const results: Record<string, Sent | Sent[]> = {
      getBlock: { blockhash: A, blockTime: 1 },
      getSignaturesForAddress: transactions
        .map((each, place) => ({ signature: signatureOf(each, place), slot: each.slot, err: null }))
        .toReversed(),
      getTransaction: {
        slot: 50,
        transaction: {
          signatures: [signatureOf(transactions[1]!, 1)],
          message: { accountKeys: [A], instructions: [] },
        },
        meta: { err: null },
      },
    };
    return { body: { jsonrpc: '2.0', id: request.id, result: change(results[method] as T) } };
  };
}

it('A source waits rather than take unrecorded inner instructions for none', async () => {
  const instructions = [{ program: OTHER, accounts: [A] }];
  const node = await openSolanaNode({
    transactions: [{ slot: 10, signer: A, instructions, lacksInner: true }],
  });
  await expect(readAll(sourceOf(node), inputs(...RULES))).rejects.toThrow(
    /has no record of the inner instructions of \w+; use a node that has, or a later "since"/,
  );
});
