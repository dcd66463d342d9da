import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AbiValue } from '../../support/sources/abi-encode.ts';
import { openIndexer } from '../../support/sources/algorand-chain.ts';
import { inputs, rule, sourceOf } from '../../support/sources/algorand-source.ts';
import {
  AlgorandLedger,
  accountOf,
  appCall,
  assetTransfer,
  eventLog,
  keyOf,
  methodArgs,
} from '../../support/sources/algorand-world.ts';
import { FOREVER, readAll, told } from '../../support/sources/read-all.ts';

const APP = 3147789458;
const ASA = 31566704;
const [A, B, C, D] = [accountOf(0), accountOf(1), accountOf(2), accountOf(3)];
const VOTE = 'Vote(address,uint32,uint64)';

const HOLD = `{id: hold, hold: {source: algo, asa: ${ASA}, min: 5, since: 1}, give: {type: held, points: 1}}`;

function vote(account: number, proposal: number, weight: bigint): AbiValue[] {
  return [
    { type: 'address', value: keyOf(account) },
    { type: 'uint32', value: BigInt(proposal) },
    { type: 'uint64', value: weight },
  ];
}

async function eventsOf(ledger: AlgorandLedger, ...rules: string[]): Promise<unknown[]> {
  const indexer = await openIndexer({ transactions: ledger.transactions });
  const { events } = await readAll(sourceOf(indexer), inputs(...rules));
  return told(events);
}

describe('applications', () => {
  it('log events, including inner calls, with exact integers', async () => {
    const ledger = new AlgorandLedger();
    const most = 2n ** 64n - 1n;
    const inner = appCall(APP, B, { logs: [eventLog(VOTE, vote(2, 7, most))] });
    const other = appCall(5, B, { logs: [eventLog(VOTE, vote(3, 7, 1n))] });
    ledger.send(10, appCall(APP, A, { logs: [Buffer.from('?'), eventLog(VOTE, vote(1, 6, 0n))] }));
    ledger.send(10, appCall(9, A, { inner: [other, appCall(8, A, { inner: [inner] })] }));
    expect(await eventsOf(ledger, rule(`app: ${APP}, event: "${VOTE}"`, '0'))).toEqual([
      { input: 0, wallet: B, height: 10, args: { sender: A, 0: B, 1: '6', 2: '0' } },
      { input: 0, wallet: C, height: 10, args: { sender: B, 0: C, 1: '7', 2: String(most) } },
    ]);
  });

  it('are called by methods that differ in what they return alone', async () => {
    const [old, now] = ['vote(uint8)void', 'vote(uint8)uint64'] as const;
    const choice: AbiValue[] = [{ type: 'uint8', value: 1n }];
    const ledger = new AlgorandLedger();
    ledger.send(10, appCall(APP, A, { args: methodArgs(old, choice) }));
    ledger.send(11, appCall(APP, B, { args: methodArgs(now, choice) }));
    const rules = [old, now].map((method) => rule(`app: ${APP}, method: "${method}"`, 'sender'));
    expect(await eventsOf(ledger, ...rules)).toEqual([
      { input: 0, wallet: A, height: 10, args: { sender: A, 0: '1' } },
      { input: 1, wallet: B, height: 11, args: { sender: B, 0: '1' } },
    ]);
  });

  it('are called by methods with more arguments than a call has', async () => {
    const types = Array.from({ length: 17 }, (_, place) => (place === 16 ? 'address' : 'uint8'));
    const signature = `cast(${types.join(',')})void`;
    const values = types.map((type, place): AbiValue => {
      return type === 'address'
        ? { type, value: keyOf(3) }
        : { type: 'uint8', value: BigInt(place) };
    });
    const ledger = new AlgorandLedger();
    ledger.send(1, appCall(APP, A, { args: methodArgs(signature, values) }));
    const found = await eventsOf(ledger, rule(`app: ${APP}, method: "${signature}"`, '16'));
    const numbers = Object.fromEntries(types.slice(0, 16).map((_, n) => [n, String(n)]));
    const args = { sender: A, ...numbers, 16: D };
    expect(found).toEqual([{ input: 0, wallet: D, height: 1, args }]);
  });

  it('count methods by their return types, except calls that clear, and including their creation', async () => {
    const ledger = new AlgorandLedger();
    const args = methodArgs('join(pay,string)void', [{ type: 'string', value: 'é' }]);
    ledger.send(1, appCall(APP, A, { args: methodArgs('join(pay,string)uint64', []) }));
    ledger.send(2, appCall(APP, B, { args, onCompletion: 'clear' }));
    ledger.send(3, { ...appCall(0, C, { args }), 'created-application-index': APP });
    ledger.send(4, appCall(APP, D, { args: [...args, Buffer.from('too many')] }));
    const found = await eventsOf(
      ledger,
      rule(`app: ${APP}, method: "join(pay a, string name)void"`, 'sender'),
    );
    expect(found).toEqual([{ input: 0, wallet: C, height: 3, args: { sender: C, name: 'é' } }]);
  });
});

describe("an asset's transfers", () => {
  function transfers(): AlgorandLedger {
    const ledger = new AlgorandLedger();
    ledger.send(1, assetTransfer(ASA, B, { receiver: B, amount: 0 }));
    ledger.send(2, assetTransfer(ASA, A, { receiver: B, amount: 2n ** 64n - 1n }));
    ledger.send(3, assetTransfer(ASA, D, { receiver: C, amount: 5, from: B }));
    ledger.send(4, assetTransfer(ASA, B, { receiver: B, amount: 0, closeTo: C, closeAmount: 70 }));
    ledger.send(5, assetTransfer(ASA + 1, A, { receiver: B, amount: 1 }));
    const inner = assetTransfer(ASA, C, { receiver: D, amount: 1, closeTo: A, closeAmount: 9 });
    ledger.send(6, appCall(1, A, { inner: [inner] }));
    return ledger;
  }

  it('are received, by the target of a close-out too', async () => {
    const found = await eventsOf(
      transfers(),
      rule(`asset: ${ASA}, transfer: received`, 'receiver'),
    );
    expect(found).toEqual([
      expect.objectContaining({
        wallet: B,
        args: { sender: A, receiver: B, amount: '18446744073709551615' },
      }),
      expect.objectContaining({ wallet: C, args: { sender: B, receiver: C, amount: '5' } }),
      expect.objectContaining({
        wallet: C,
        args: { sender: B, receiver: C, amount: '70', closeTo: C, closeAmount: '70' },
      }),
      expect.objectContaining({ wallet: D, args: { sender: C, receiver: D, amount: '1' } }),
      expect.objectContaining({ wallet: A, args: expect.objectContaining({ amount: '9' }) }),
    ]);
  });

  it("are sent by the account that they're taken from", async () => {
    const found = await eventsOf(transfers(), rule(`asset: ${ASA}, transfer: sent`, 'sender'));
    expect(found.map((each) => (each as { wallet: string }).wallet)).toEqual([A, B, B, C, C]);
  });

  it('are an opt-in only if nothing goes to oneself, without closing', async () => {
    const found = await eventsOf(transfers(), rule(`asset: ${ASA}, transfer: optin`, 'sender'));
    const args = { sender: B, receiver: B, amount: '0' };
    expect(found).toEqual([{ input: 0, wallet: B, height: 1, args }]);
  });

  it("change balances from the asset's creation to its end", async () => {
    const ledger = new AlgorandLedger();
    const config = { 'tx-type': 'acfg', sender: A };
    const total = 2n ** 64n - 1n;
    ledger.send(1, {
      ...config,
      'created-asset-index': ASA,
      'asset-config-transaction': { params: { total, decimals: 0 } },
    });
    ledger.send(2, {
      ...config,
      'asset-config-transaction': { 'asset-id': ASA, params: { total } },
    });
    ledger.send(3, assetTransfer(ASA, A, { receiver: B, amount: 8 }));
    ledger.send(3, assetTransfer(ASA, B, { receiver: C, amount: 3, closeTo: A, closeAmount: 5 }));
    ledger.send(4, assetTransfer(ASA, D, { receiver: A, amount: 3, from: C }));
    ledger.send(5, { ...config, sender: D, 'asset-config-transaction': { 'asset-id': ASA } });
    const found = (await eventsOf(ledger, HOLD)) as { wallet: string; args: { amount: string } }[];
    expect(found.map(({ wallet, args }) => [wallet, args.amount])).toEqual([
      ...[
        [A, String(total)],
        [A, '-8'],
        [B, '8'],
        [B, '-3'],
        [C, '3'],
      ],
      ...[
        [B, '-5'],
        [A, '5'],
        [C, '-3'],
        [A, '3'],
        [A, String(-total)],
      ],
    ]);
  });
});

describe('reading', () => {
  it('begins at the first round of a day', async () => {
    const chain = sourceOf(await openIndexer({ genesisTime: 1_700_000_000, round: 200_000 }));
    const midnight = 19_676 * 86_400;
    const { height, time } = await chain.begin({ kind: 'day', day: 19_676 }, FOREVER);
    expect(time).toBeLessThan(midnight);
    expect(time + 3).toBeGreaterThanOrEqual(midnight);
    expect(height).toBe((time - 1_700_000_000) / 3);
    await expect(chain.begin({ kind: 'day', day: 30_000 }, FOREVER)).rejects.toThrow('yet');
    await expect(chain.begin({ kind: 'height', height: 10n ** 12n }, FOREVER)).rejects.toThrow(
      'yet',
    );
  });

  it('gives the same whatever pages, duplicates and passing faults there are', async () => {
    const votes = fc.array(
      fc.record({
        round: fc.integer({ min: 1, max: 40 }),
        voter: fc.nat(3),
        proposal: fc.nat(5),
        weight: fc.bigInt(0n, 2n ** 64n - 1n),
        depth: fc.nat(3),
        sends: fc.option(fc.record({ to: fc.nat(3), amount: fc.bigInt(0n, 2n ** 60n) })),
      }),
      { maxLength: 40 },
    );
    const rough = fc.record({
      pageMost: fc.integer({ min: 1, max: 9 }),
      isReversed: fc.boolean(),
      isRepeated: fc.boolean(),
      faultEvery: fc.integer({ min: 2, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(votes, rough, async (all, how) => {
        const ledger = new AlgorandLedger();
        const model: unknown[][] = [];
        for (const { round, voter, proposal, weight, depth, sends } of all.toSorted(
          (a, b) => a.round - b.round,
        )) {
          let call = appCall(APP, A, { logs: [eventLog(VOTE, vote(voter, proposal, weight))] });
          for (let at = 0; at < depth; at += 1) call = appCall(1 + at, A, { inner: [call] });
          ledger.send(round, call);
          model.push([round, 0, accountOf(voter), String(weight)]);
          if (sends === null) continue;
          const { to, amount } = sends;
          ledger.send(round, assetTransfer(ASA, A, { receiver: accountOf(to), amount }));
          if (amount === 0n || to === 0) continue;
          // Both have the same position on the chain; their order means nothing.
          model.push([round, 1, A, String(-amount)], [round, 1, accountOf(to), String(amount)]);
        }
        const indexer = await openIndexer({
          round: 45,
          transactions: ledger.transactions,
          pageMost: how.pageMost,
          garble: (page) => {
            const some = how.isRepeated ? [...page, ...page.slice(0, 2)] : page;
            return how.isReversed ? some.toReversed() : some;
          },
        });
        let asked = 0;
        indexer.instead = () => {
          asked += 1;
          return asked % how.faultEvery === 0 ? 'reset' : undefined;
        };
        const rules = inputs(rule(`app: ${APP}, event: "${VOTE}"`, '0'), HOLD);
        const { events } = await readAll(sourceOf(indexer), rules, 200);
        expect(
          events.map(({ input, height, wallet, args }) => {
            const { amount, 2: weight } = JSON.parse(args) as Record<string, string>;
            return [height, input, wallet.address, amount ?? weight];
          }),
        ).toEqual(model);
      }),
      { numRuns: 15 },
    );
  });

  it('requests fewer rounds if a response is too large', async () => {
    const ledger = new AlgorandLedger();
    for (let round = 1; round <= 60; round += 1) {
      ledger.send(round, appCall(APP, A, { logs: [eventLog(VOTE, vote(1, round, 1n))] }));
    }
    const indexer = await openIndexer({ round: 60, transactions: ledger.transactions });
    indexer.instead = ({ url }) => {
      const { 'min-round': min, 'max-round': max } = Object.fromEntries(url.searchParams);
      return min !== undefined && Number(max) - Number(min) > 4
        ? { status: 504, body: 'timeout' }
        : undefined;
    };
    const rules = inputs(rule(`app: ${APP}, event: "${VOTE}"`, '0'));
    const { events, stretches } = await readAll(sourceOf(indexer), rules);
    expect(events).toHaveLength(60);
    expect(stretches).toBeLessThan(40);
  });

  it('blames the indexer if one round alone is too large', async () => {
    const indexer = await openIndexer({ round: 3 });
    indexer.instead = ({ url }) =>
      url.pathname === '/v2/transactions' ? { status: 504, body: '' } : undefined;
    const reading = readAll(sourceOf(indexer), inputs(HOLD));
    await expect(reading).rejects.toThrow('answered with 504. It was only asked for one height.');
  });

  it.each([
    ['a token that repeats itself', { 'next-token': 'same' }, 'the same page token twice'],
    ['a round that was not asked for', { round: 999_999 }, "a round that wasn't requested"],
    ['an indexer that is behind', { 'current-round': 2 }, "hasn't reached"],
    ['something else', { transactions: [{ id: 'x' }] }, 'at /transactions/0'],
    ['an address that is none', { sender: `${A.slice(0, -1)}A` }, 'wrong checksum'],
  ])('stops at %s', async (_, lie, words) => {
    const ledger = new AlgorandLedger();
    ledger.send(1, appCall(APP, A, { logs: [eventLog(VOTE, vote(1, 1, 1n))] }));
    const [first] = ledger.transactions;
    const indexer = await openIndexer({ transactions: ledger.transactions });
    indexer.instead = ({ url }) => {
      if (url.pathname !== '/v2/transactions') return undefined;
      const { round, sender, ...rest } = lie as Record<string, unknown>;
      const sent = {
        ...first,
        ...(round !== undefined && { 'confirmed-round': round }),
        ...(sender !== undefined && { sender }),
      };
      return { body: { 'current-round': 1_000, transactions: [sent], ...rest } };
    };
    const reading = readAll(sourceOf(indexer), inputs(rule(`app: ${APP}, event: "${VOTE}"`, '0')));
    const error: unknown = await reading.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RetryableError' });
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain('kEy');
  });

  it('goes on without an indexer that hangs, asking it for a range only once', async () => {
    const ledger = new AlgorandLedger();
    for (let round = 1; round <= 60; round += 1) {
      ledger.send(round, appCall(APP, A, { logs: [eventLog(VOTE, vote(1, round, 1n))] }));
    }
    const indexers = await Promise.all(
      [1, 2, 3].map(() => openIndexer({ round: 60, transactions: ledger.transactions })),
    );
    let hung = 0;
    indexers[0]!.instead = ({ url }) => {
      if (url.pathname === '/v2/transactions') hung += 1;
      return hung > 0 ? { status: 504, body: '' } : undefined;
    };
    const chain = sourceOf(...indexers);
    const rules = inputs(rule(`app: ${APP}, event: "${VOTE}"`, '0'));
    const request = { inputs: rules, from: { height: 0, hash: null, time: 1 }, upTo: 60 };
    const { events } = await chain.read({ ...request, signal: FOREVER });
    expect(events).toHaveLength(60);
    expect(chain.nodes().map(({ state }) => state)).toEqual(['failing', 'ok', 'ok']);
    expect(hung).toBe(1);
  });

  it('rejects an indexer of another network', async () => {
    const chain = sourceOf(await openIndexer({ network: 'testnet-v1.0' }));
    await expect(chain.end(FOREVER)).rejects.toMatchObject({ kind: 'unfit' });
    expect(chain.nodes()[0]).toMatchObject({ state: 'unfit', failures: 1 });
  });

  it('counts nothing if one of two indexers leaves something out, until a third settles it', async () => {
    const ledger = new AlgorandLedger();
    for (const account of [1, 2]) {
      ledger.send(account, appCall(APP, A, { logs: [eventLog(VOTE, vote(account, 1, 1n))] }));
    }
    const { transactions } = ledger;
    const liar = await openIndexer({ transactions: transactions.slice(1) });
    const honest = await openIndexer({ transactions });
    const rules = inputs(rule(`app: ${APP}, event: "${VOTE}"`, '0'));
    await expect(readAll(sourceOf(liar, honest), rules)).rejects.toThrow(
      /lacks 1 event of round \d+ that/,
    );
    const third = await openIndexer({ transactions });
    const { events } = await readAll(sourceOf(liar, honest, third), rules);
    expect(events).toHaveLength(2);
  });
});
