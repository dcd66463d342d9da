import { expect, it } from 'vitest';
import { openIndexer } from '../support/sources/algorand-chain.ts';
import * as algo from '../support/sources/algorand-source.ts';
import { readAll, told } from '../support/sources/read-all.ts';
import { openSolanaNode } from '../support/sources/solana-chain.ts';
import * as sol from '../support/sources/solana-source.ts';
import asset from './vectors/algorand-asset.json' with { type: 'json' };
import recorded from './vectors/solana-transaction.json' with { type: 'json' };

/* What public nodes of both chains told, through the whole readers. */

const [MAKER, FROZEN, HOLDER] = [
  'WLH5LELVSEVQL45LBRQYCLJAX6KQPGWUY5WHJXVRV2NPYZUBQAFPH22Q7A',
  'ZYQX7BZ6LGTD7UCS7J5RVEAKHUJPK3FNJFZV2GPUYS2TFIADVFHDBKTN7I',
  'RL6VDLXCN5G7N2GRTS7YLVDSFT4PVBBUOVTVS7T26OQ5MLXYQKRMI5ADXY',
] as const;

it('An asset on Algorand moves as its transactions say: made, sent, frozen, clawed back, opted into and out of', async () => {
  const indexer = await openIndexer({
    ...{ transactions: asset.transactions, round: 3_438_000, pageMost: 7 },
  });
  const rules = algo.inputs(
    '{id: hold, hold: {source: algo, asa: 185, min: 1, since: 3219067}, give: {type: held, points: 1}}',
  );
  const { events } = await readAll(algo.sourceOf(indexer), rules);
  expect(told(events)).toEqual(
    (
      [
        [MAKER, 3_219_067, '100'],
        [MAKER, 3_277_587, '-10'],
        [FROZEN, 3_277_587, '10'],
        // By its manager, which sends it and holds none of it.
        [FROZEN, 3_277_656, '-10'],
        [MAKER, 3_277_656, '10'],
        [MAKER, 3_319_686, '-10'],
        [HOLDER, 3_319_686, '10'],
      ] as const
    ).map(([wallet, height, amount]) => ({ input: 0, wallet, height, args: { amount } })),
  );
});

it('A transaction on Solana is read with its inner instructions and the keys that its lookup table adds', async () => {
  const { transaction } = recorded;
  const { slot, blockTime } = transaction;
  const [signature] = transaction.transaction.signatures;
  const node = await openSolanaNode({ head: slot + 100, firstAvailable: slot - 1_000 });
  node.instead = ({ body }) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const listed = { signature, slot, err: null, memo: null, blockTime };
    const answers: Record<string, unknown> = {
      getSignaturesForAddress: body.includes('"before"')
        ? []
        : [{ ...listed, confirmationStatus: 'finalized' }],
      getTransaction: transaction,
      getSignatureStatuses: {
        context: { slot: slot + 100 },
        value: [{ confirmationStatus: 'finalized', err: null }],
      },
    };
    const result = answers[method];
    return result === undefined ? undefined : { body: { jsonrpc: '2.0', id, result } };
  };
  const since = (rule: string) => rule.replace('since: 1}', `since: ${slot - 50}}`);
  const rules = sol.inputs(
    // A transfer of SPL tokens, called by a program that a multisig called.
    since(sol.rule('0x03', '{account: 2}', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')),
    // A transfer of lamports; two calls of the same program have no data.
    since(sol.rule('0x02000000', '{account: 1}', '11111111111111111111111111111111')),
    since(sol.rule('0x', 'signer', 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf')),
  );
  const { events } = await readAll(sol.sourceOf(node), rules);
  expect(
    events.map(({ input, wallet, height, time }) => [input, wallet.address, height, time]),
  ).toEqual(
    [
      [1, 'DttWaMuVvTiduZRnguLF7jNxTgiMBZ1hyAumKUiL2KRL'],
      [2, 'Hc3EobqKYuqndAYmPzEhokBab3trofMWDafj4PJxFYUL'],
      [0, '8sWsVPJpjcBrmmuAQCk1Tp6BgAmEc8A5UM8RhJn1qzED'],
    ].map((each) => [...each, slot, blockTime]),
  );
});
