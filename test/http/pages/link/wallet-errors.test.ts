import { expect, it } from 'vitest';

interface Fault {
  readonly code: string;
  readonly value: string;
}

/** The page's own code. */
const { faultOf } = (await import(
  new URL('../../../../src/http/pages/assets/link/faults.js', import.meta.url).href
)) as { readonly faultOf: (error: unknown) => Fault };

const GAS = 'no gas';
const RPC = { code: -32603, message: 'Internal JSON-RPC error.' };
/** Holds itself. */
const round: Record<string, unknown> = { message: GAS };
round.cause = round;

it.each([
  ['an error in its data', { ...RPC, data: { originalError: { message: GAS } } }],
  ['data', { ...RPC, data: { code: 3, message: GAS } }],
  ['data beside a cause', { ...RPC, data: { method: 'personal_sign' }, cause: new Error(GAS) }],
  ['a cause', new Error('Signing failed', { cause: new Error(GAS) })],
  ['a cause alone', { error: { cause: { message: GAS } } }],
  ['the answer of JSON-RPC', { jsonrpc: '2.0', id: 1, error: { code: -32000, message: GAS } }],
  ['an inner error without words', { message: GAS, error: {}, data: { message: {} } }],
  ['an error within itself', round],
])('the page shows what a wallet said in %s', (_, error) => {
  expect(faultOf(error)).toMatchObject({ code: 'failed', value: GAS });
});

it.each([
  ['rejected', { ...RPC, data: { originalError: { code: 4001, message: 'x' } } }],
  ['rejected', new Error('Signing failed', { cause: { message: 'User denied it' } })],
  ['rejected', new Error('User rejected', { cause: { message: 'x' } })],
  ['rejected', { code: 4001, message: 'x', cause: new Error('y') }],
  ['busy', { error: { code: -32002, message: 'x' } }],
  ['locked', { ...RPC, data: { message: 'unlock it' } }],
  ['nonsense', { error: { data: {} } }],
  ['nonsense', undefined],
])('the page knows that a request was %s within an error', (code, error) => {
  expect(faultOf(error)).toMatchObject({ code });
});
