import { describe, expect, it } from 'vitest';
import { readAll, told } from '../../support/sources/read-all.ts';
import {
  keyNamed,
  openSolanaNode,
  type TestTransaction,
} from '../../support/sources/solana-chain.ts';
import { inputs, PROGRAM, rule, sourceOf } from '../../support/sources/solana-source.ts';

const OTHER = keyNamed('other program');
const [A, B, C] = [keyNamed('a'), keyNamed('b'), keyNamed('c')];

async function eventsOf(transactions: TestTransaction[], ...rules: string[]): Promise<unknown[]> {
  const node = await openSolanaNode({ transactions });
  return told((await readAll(sourceOf(node), inputs(...rules))).events);
}

describe('instructions', () => {
  it('count by what their data begins with, including inner ones, in successful transactions', async () => {
    const transactions: TestTransaction[] = [
      { slot: 5, signer: A, instructions: [{ program: PROGRAM, data: '01ff' }] },
      { slot: 6, signer: B, instructions: [{ program: PROGRAM, data: '02' }] },
      { slot: 7, signer: B, instructions: [{ program: PROGRAM, data: '01' }], isFailed: true },
      {
        slot: 8,
        signer: C,
        instructions: [
          { program: OTHER, inner: [{ program: PROGRAM, data: '0102' }] },
          { program: PROGRAM, data: '01' },
        ],
      },
      { slot: 9, signer: C, instructions: [{ program: OTHER, accounts: [PROGRAM], data: '01' }] },
    ];
    expect(await eventsOf(transactions, rule('0x01', 'signer'))).toEqual([
      { input: 0, wallet: A, height: 5, args: { signer: A } },
      { input: 0, wallet: C, height: 8, args: { signer: C } },
      { input: 0, wallet: C, height: 8, args: { signer: C } },
    ]);
  });

  it('count in transactions of version 1, which nodes refuse to whoever knows none', async () => {
    const instructions = [{ program: PROGRAM, accounts: [B], data: '01' }];
    const transactions: TestTransaction[] = [
      { slot: 5, signer: A, version: 0, instructions },
      { slot: 6, signer: C, version: 1, instructions },
    ];
    expect(await eventsOf(transactions, rule('0x01', 'signer'))).toEqual([
      { input: 0, wallet: A, height: 5, args: { signer: A } },
      { input: 0, wallet: C, height: 6, args: { signer: C } },
    ]);
  });

  it('name wallets by their accounts, including those from lookup tables', async () => {
    const [mint, table] = [keyNamed('mint'), keyNamed('from a table')];
    const transactions: TestTransaction[] = [
      {
        slot: 5,
        signer: A,
        instructions: [{ program: PROGRAM, accounts: [A, mint, table, B] }],
        looked: { writable: [table], readonly: [B] },
      },
      { slot: 6, signer: A, instructions: [{ program: PROGRAM, accounts: [A, mint] }] },
    ];
    const found = await eventsOf(
      transactions,
      rule('0x', '{account: 2}'),
      rule('0x', '{account: 3}'),
    );
    expect(found).toEqual([
      { input: 0, wallet: table, height: 5, args: { signer: A } },
      { input: 1, wallet: B, height: 5, args: { signer: A } },
    ]);
  });

  it('name owners of token accounts that they open or close', async () => {
    const [opened, closed, unknown] = [keyNamed('x'), keyNamed('y'), keyNamed('z')];
    const transactions: TestTransaction[] = [opened, closed, unknown].map((account, at) => ({
      slot: 5 + at,
      signer: A,
      instructions: [{ program: PROGRAM, accounts: [account] }],
      owners: { pre: { [closed]: B }, post: { [opened]: C } },
    }));
    const found = await eventsOf(transactions, rule('0x', '{owner_of: 0}'));
    expect(found.map((each) => (each as { wallet: string }).wallet)).toEqual([C, B]);
  });
});

/** A chain with transactions of several programs, often several in one slot. */
