import { expect, it } from 'vitest';
import { addressOfKey } from '#wallet/chains';
import { openIndexer } from '../../support/sources/algorand-chain.ts';
import { inputs, rule, sourceOf } from '../../support/sources/algorand-source.ts';
import { readAll, told } from '../../support/sources/read-all.ts';
import asset from '../vectors/algorand-asset.json' with { type: 'json' };
import indexer from '../vectors/algorand-indexer.json' with { type: 'json' };
import methods from '../vectors/algorand-methods.json' with { type: 'json' };

/* What indexers said. The sources and licences stand in the files. */

const ASA = 163650;

interface RecordedTransfer {
  readonly receiver: string;
  readonly amount: number;
  readonly 'close-to'?: string;
}

it('An asset of mainnet is read as a plain walk over its transactions shows', async () => {
  const { transactions } = asset;
  const rounds = transactions.map((each) => each['confirmed-round']);
  const standIn = await openIndexer({
    // Of its creation, indexers told no id yet, by which to find it.
    transactions,
    round: Math.max(...rounds),
  });
  const wanted = inputs(
    rule(`asset: ${ASA}, transfer: received`, 'receiver'),
    rule(`asset: ${ASA}, transfer: sent`, 'sender'),
    rule(`asset: ${ASA}, transfer: optin`, 'sender'),
    `{id: hold, hold: {source: algo, asa: ${ASA}, min: 5, since: 1}, give: {type: held, points: 1}}`,
  );
  const { events } = await readAll(sourceOf(standIn), wanted);
  const transferOf = (each: object) =>
    'asset-transfer-transaction' in each
      ? (each['asset-transfer-transaction'] as RecordedTransfer)
      : undefined;
  const moved = transactions.flatMap((each) => {
    const transfer = transferOf(each);
    const { sender, 'confirmed-round': round } = each;
    return transfer === undefined ? [] : [{ sender, round, ...transfer }];
  });
  const found = (input: number) =>
    events
      .filter((each) => each.input === input)
      .map(({ wallet, height }) => [height, wallet.address]);
  const paid = moved.filter(({ sender, receiver, amount }) => amount > 0 || sender !== receiver);
  const closed = moved.filter((each) => each['close-to'] !== undefined);
  const byRound = (pairs: (string | number | undefined)[][]) =>
    pairs.toSorted((one, other) => Number(one[0]) - Number(other[0]));
  expect(found(0)).toEqual(
    byRound([
      ...paid.map(({ round, receiver }) => [round, receiver]),
      ...closed.map((each) => [each.round, each['close-to']]),
    ]),
  );
  expect(found(1)).toEqual(
    byRound([...paid, ...closed].map(({ round, sender }) => [round, sender])),
  );
  const optedIn = moved.filter((each) => !paid.includes(each) && !closed.includes(each));
  expect(found(2)).toEqual(optedIn.map(({ round, sender }) => [round, sender]));
  // Only the first four transfers moved anything.
  const balances = new Map<string, number>();
  for (const { input, wallet, args } of events) {
    if (input !== 3) continue;
    const { amount } = JSON.parse(args) as { amount: string };
    balances.set(wallet.address, (balances.get(wallet.address) ?? 0) + Number(amount));
  }
  const creator = String(moved.find(({ amount }) => amount > 0)?.sender);
  expect(Object.fromEntries(balances)).toEqual({
    [creator]: -moved.reduce((sum, { amount }) => sum + amount, 0),
    ...Object.fromEntries(
      moved.filter(({ amount }) => amount > 0).map((each) => [each.receiver, each.amount]),
    ),
  });
});

it("What an indexer's own tests say it answers is read, and nothing else of it counts", async () => {
  const transactions = indexer.responses.map(({ transaction }, place) => ({
    ...transaction,
    'confirmed-round': place + 1,
  }));
  const standIn = await openIndexer({ transactions });
  const { events } = await readAll(
    sourceOf(standIn),
    inputs(
      rule('asset: 11, transfer: received', 'receiver'),
      rule('asset: 25077, transfer: sent', 'sender'),
      `{id: hold, hold: {source: algo, asa: 100, min: 5, since: 1}, give: {type: held, points: 1}}`,
      // These run programs that log and take no ABI of ours.
      rule('app: 444, event: "Voted(uint64)"', 'sender'),
      rule('app: 27, method: "vote(uint64)void"', 'sender'),
    ),
  );
  const roundOf = (file: string) =>
    1 + indexer.responses.findIndex((each) => each.file === `${file}.response`);
  expect(told(events)).toEqual([
    {
      input: 0,
      wallet: 'PIJRXIH5EJF7HT43AZQOQBPEZUTTCJCZ3E5U3QHLE33YP2ZHGXP7O7WN3U',
      height: roundOf('app_call_inner'),
      // Of an inner transaction.
      args: {
        sender: 'PT4K5LK4KYIQYYRAYPAZIEF47NVEQRDX3CPYWJVH25LKO2METIRBKRHRAE',
        receiver: 'PIJRXIH5EJF7HT43AZQOQBPEZUTTCJCZ3E5U3QHLE33YP2ZHGXP7O7WN3U',
        amount: '222',
      },
    },
    {
      input: 1,
      wallet: 'QA75IQ76F6H2T55G65BY7BPLF5QNWSLT5XGI62COZSYB4ZQ3MSKI3EQ25A',
      height: roundOf('asset_transfer'),
      args: {
        sender: 'QA75IQ76F6H2T55G65BY7BPLF5QNWSLT5XGI62COZSYB4ZQ3MSKI3EQ25A',
        receiver: 'VIFSMPHK567D3AE6PKOFTWD7RX35KKIN6LKVZS2SQOHM2Q5WPGU5ZJJTJA',
        amount: '10',
      },
    },
    {
      input: 2,
      wallet: 'YX654HYIBKEQ5NGN35HX335XEIUNRFP57X7WNRYM72DH326HIMQGZ5UEQQ',
      height: roundOf('asset_config'),
      args: { amount: '10000' },
    },
  ]);
});

it('Arguments of methods are those that the application itself had, packed ones and references included', async () => {
  const { transactions } = methods;
  const [many, echo] = transactions;
  const numbers = 'uint64,'.repeat(17);
  const signature = `test_ref_types_in_big_method(${numbers}asset,uint64,application,pay,account)(uint64,uint64,uint64,byte[])`;
  const standIn = await openIndexer({
    transactions,
    round: Math.max(...transactions.map((each) => each['confirmed-round'])),
  });
  const { events } = await readAll(
    sourceOf(standIn),
    inputs(
      rule(`app: 709806536, method: "${signature}"`, 'sender'),
      rule('app: 713725461, method: "echo_address(address)address"', '0'),
    ),
  );
  // It logs its numbers one after another, and returns an address behind four bytes.
  const [seen, returned] = [many?.logs[0], echo?.logs[0]].map((log) =>
    Buffer.from(log ?? '', 'base64'),
  );
  const logged = Array.from({ length: 18 }, (_, at) => String(seen?.readBigUInt64BE(8 * at)));
  const places = [...Array(17).keys(), 18];
  expect(told(events)).toEqual([
    expect.objectContaining({
      wallet: many?.sender,
      args: { sender: many?.sender, ...Object.fromEntries(places.map((at, n) => [at, logged[n]])) },
    }),
    expect.objectContaining({ wallet: addressOfKey(returned?.subarray(4) ?? Buffer.of()) }),
  ]);
});
