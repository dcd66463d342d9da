import { expect, it } from 'vitest';
import { readAll } from '../../support/sources/read-all.ts';
import { openSolanaNode } from '../../support/sources/solana-chain.ts';
import { inputs, sourceOf } from '../../support/sources/solana-source.ts';
import recorded from '../vectors/solana-transactions.json' with { type: 'json' };

/* What nodes said, and what their programs logged meanwhile. The source and licence stand in the file. */

const results = recorded.responses
  .map(({ result }) => result)
  .toSorted((one, other) => one.slot - other.slot);

/** The programs that ran, in their order, as a transaction's logs tell; none where it failed. */
function invocationsOf({ meta }: (typeof results)[number]): string[] {
  if (meta.err !== null) return [];
  return meta.logMessages.map((line) => /^Program (\w+) invoke \[\d+\]$/.exec(line)?.[1] ?? line);
}

function keysOf({ transaction, meta }: (typeof results)[number]): string[] {
  const { writable, readonly } = meta.loadedAddresses;
  return [...transaction.message.accountKeys, ...writable, ...readonly];
}

const programs = [...new Set(results.flatMap(invocationsOf))];

/** A node that has these transactions alone. */
async function openRecorded() {
  const node = await openSolanaNode({ head: Math.max(...results.map(({ slot }) => slot)) });
  node.instead = ({ body }) => {
    const { method, params, id } = JSON.parse(body) as {
      method: string;
      params: [string, { before?: string }?];
      id: unknown;
    };
    const answer = (result: unknown) => ({ body: { jsonrpc: '2.0', id, result } });
    const [of, options] = params;
    if (method === 'getTransaction') {
      return answer(results.find(({ transaction }) => transaction.signatures[0] === of));
    }
    if (method === 'getSignatureStatuses') return answer({ value: [{ err: null }] });
    if (method !== 'getSignaturesForAddress') return undefined;
    const listed = results.filter((each) => keysOf(each).includes(of)).toReversed();
    const before = listed.findIndex(
      ({ transaction }) => transaction.signatures[0] === options?.before,
    );
    return answer(
      listed.slice(before + 1).map(({ slot, blockTime, transaction, meta: { err } }) => {
        return { signature: transaction.signatures[0], slot, blockTime, err };
      }),
    );
  };
  return node;
}

it('Every instruction that ran is read, in the order of the logs, whoever called it', async () => {
  const rules = programs.map(
    (program, place) =>
      `{id: r${place}, on: {source: sol, program: ${program}, prefix: "0x", since: 1}, wallet: signer, give: {type: done, points: 1}}`,
  );
  const wanted = inputs(...rules);
  const { events } = await readAll(sourceOf(await openRecorded()), wanted);
  const read = Map.groupBy(events, ({ height }) => height);
  expect(read.size).toBe(4);
  for (const result of results) {
    const told = (read.get(result.slot) ?? []).map(({ input, wallet }) => {
      expect(wallet.address).toBe(result.transaction.message.accountKeys[0]);
      return programs[input];
    });
    expect(told, String(result.slot)).toEqual(invocationsOf(result));
  }
});

it("Owners of token accounts are the ones that the transaction's balances name", async () => {
  const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const rule = (id: string, account: number) =>
    `{id: ${id}, on: {source: sol, program: ${token}, prefix: "0x0c", since: 1}, wallet: {owner_of: ${account}}, give: {type: moved, points: 1}}`;
  const wanted = inputs(rule('from', 0), rule('to', 2));
  const { events } = await readAll(sourceOf(await openRecorded()), wanted);
  const [dispatched] = recorded.responses;
  const owners = dispatched?.result.meta.postTokenBalances.map(({ owner }) => owner) ?? [];
  const ofIt = events.filter(({ height }) => height === dispatched?.result.slot);
  // It checks an amount and moves it from the signer to the pool (SPL Token's TransferChecked).
  expect(ofIt.map(({ wallet }) => wallet.address)).toEqual([owners[1], owners[0]]);
});
