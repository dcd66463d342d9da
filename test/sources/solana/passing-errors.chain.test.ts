import { expect, it } from 'vitest';
import { readAll } from '../../support/sources/read-all.ts';
import {
  keyNamed,
  openSolanaNode,
  type TestTransaction,
} from '../../support/sources/solana-chain.ts';
import { inputs, PROGRAM, rule, sourceOf } from '../../support/sources/solana-source.ts';

const TRANSACTIONS = [40, 50].map((slot): TestTransaction => {
  return { slot, signer: keyNamed('a'), instructions: [{ program: PROGRAM }] };
});
const WANTED = inputs(rule('0x', 'signer'));
/** Each fails once. */
const METHODS = ['getBlock', 'getTransaction', 'getSignaturesForAddress'];

const errorOf = (code: number, message: string) => () => ({ error: { code, message } });

it.each<[string, (id: number) => unknown]>([
  ['lacks a block', errorOf(-32004, 'Block not available for slot 50')],
  ["doesn't know a block's status", errorOf(-32014, 'Block status not yet available for slot 50')],
  ['is behind', errorOf(-32016, 'Minimum context slot has not been reached')],
  ['misses its storage', errorOf(-32019, 'Failed to query long-term storage; please try again')],
  ['has no history', errorOf(-32021, 'Slot history is not available')],
  ['sends text', (id) => ({ id, result: 'ok' })],
  ['sends a list', () => []],
  ['answers an earlier request', () => ({ id: 0, result: [] })],
])('A Solana node that %s for a moment is sent the same request once more', async (_, told) => {
  const plain = await openSolanaNode({ transactions: TRANSACTIONS });
  const expected = await readAll(sourceOf(plain), WANTED);
  const node = await openSolanaNode({ transactions: TRANSACTIONS });
  const failed = new Set<string>();
  node.instead = ({ body }) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    if (!METHODS.includes(method) || failed.has(method)) return undefined;
    failed.add(method);
    return { body: told(id) };
  };
  const { events } = await readAll(sourceOf(node), WANTED);
  expect(failed.size).toBe(METHODS.length);
  expect(events).toEqual(expected.events);
  // The newest slot is asked for again with its block.
  expect(node.requests.length).toBeLessThanOrEqual(plain.requests.length + METHODS.length + 1);
});

it.each([
  [-32014, 'behind', /hasn't reached it yet/],
  [-32019, 'failing', /storage of old slots/],
])('A Solana node that answers %s for good is named for what it is', async (code, state, words) => {
  const node = await openSolanaNode({ transactions: TRANSACTIONS });
  node.instead = ({ body }) =>
    body.includes('getTransaction') ? { body: { error: { code, message: '' } } } : undefined;
  const chain = sourceOf(node);
  await expect(readAll(chain, WANTED)).rejects.toThrow(words);
  expect(chain.nodes()[0]?.state).toBe(state);
});
