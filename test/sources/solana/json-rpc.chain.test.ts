import { expect, it, onTestFinished } from 'vitest';
import { NodeCall } from '#sources/node/call';
import { SourceNode } from '#sources/node/node';
import { askRpc, RpcError } from '#sources/solana/node';
import { openStandIn } from '../../support/sources/http-stand-in.ts';

/** @param bodies of the responses, one after the other; the last one is repeated */
async function nodeThatSends(...bodies: readonly object[]) {
  const left = [...bodies];
  const standIn = await openStandIn(() => ({ body: left.length > 1 ? left.shift() : left[0] }));
  const node = new SourceNode(standIn.url, { maxBytes: 10_000, timeoutMs: 30_000 });
  onTestFinished(() => node.close());
  return { call: new NodeCall(node), requests: standIn.requests };
}

it.each([1, '1'])('takes a response with the id %j for the one to its request', async (id) => {
  const { call } = await nodeThatSends({ jsonrpc: '2.0', id, result: [7] });
  expect(await askRpc(call, 'getSlot', [])).toEqual([7]);
});

it.each([1, '1', null])('takes an error with the id %j for the one to its request', async (id) => {
  const { call } = await nodeThatSends({ jsonrpc: '2.0', id, error: { code: -32004 } });
  await expect(askRpc(call, 'getBlock', [9])).rejects.toThrow(new RpcError(-32004));
});

it('The Solana client asks again after a response to another request, and takes none of those', async () => {
  const other = { jsonrpc: '2.0', id: 2, result: [8] };
  const own = { jsonrpc: '2.0', id: 1, result: [7] };
  const passing = await nodeThatSends(other, other, own);
  expect(await askRpc(passing.call, 'getSlot', [])).toEqual([7]);
  const lasting = await nodeThatSends(other);
  await expect(askRpc(lasting.call, 'getSlot', [])).rejects.toThrow('answered another request');
  expect(lasting.requests.length).toBe(4);
});

it.each([429, -32429])(
  'takes the error %j for "too many requests" whatever the status is',
  async (code) => {
    const { call } = await nodeThatSends({ jsonrpc: '2.0', id: 1, error: { code } });
    await expect(askRpc(call, 'getSlot', [])).rejects.toMatchObject({ kind: 'limited' });
  },
);

it('takes "too many requests" in words for that, though the code is that of a skipped slot', async () => {
  const message = '50/second request limit reached - reduce calls per second or upgrade';
  const { call } = await nodeThatSends({ jsonrpc: '2.0', id: 1, error: { code: -32007, message } });
  await expect(askRpc(call, 'getBlock', [9])).rejects.toMatchObject({ kind: 'limited' });
});
