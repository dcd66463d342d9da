import { expect, it, onTestFinished } from 'vitest';
import { NodeCall, SourceNode } from '#sources/node/node';
import { askRpc, RpcError } from '#sources/solana/node';
import { openStandIn } from '../../support/sources/http-stand-in.ts';

type Body = (id: number) => object;

/** @param bodies of the responses to a request with an id, one after the other; the last one is repeated */
async function nodeThatSends(...bodies: readonly [Body, ...Body[]]) {
  const left = [...bodies];
  const standIn = await openStandIn(({ body }) => {
    const { id } = JSON.parse(body) as { id: number };
    const next = (left.length > 1 ? left.shift() : left[0]) as Body;
    return { body: { jsonrpc: '2.0', ...next(id) } };
  });
  const node = new SourceNode(standIn.url, { maxBytes: 10_000, timeoutMs: 30_000 });
  onTestFinished(() => node.close());
  return { call: new NodeCall(node), requests: standIn.requests };
}

it('JSON-RPC takes a response with the id of its request, as a number or as text', async () => {
  const { call } = await nodeThatSends(
    (id) => ({ id, result: [7] }),
    (id) => ({ id: String(id), result: [8] }),
  );
  expect(await askRpc(call, 'getSlot', [])).toEqual([7]);
  expect(await askRpc(call, 'getSlot', [])).toEqual([8]);
});

it.each<[string, Body]>([
  ['that of its request', (id) => ({ id })],
  ['that as text', (id) => ({ id: String(id) })],
  ['null', () => ({ id: null })],
  ['none', () => ({})],
])('An error is taken for the answer to the request if its id is %s', async (_, told) => {
  const { call } = await nodeThatSends((id) => ({ ...told(id), error: { code: -32004 } }));
  await expect(askRpc(call, 'getBlock', [9])).rejects.toThrow(new RpcError(-32004));
});

it('The Solana client asks again after a response to an earlier request, and takes none of those', async () => {
  let first = 0;
  const own: Body = (id) => {
    first ||= id;
    return { id, result: [7] };
  };
  const earlier: Body = () => ({ id: first, result: [8] });
  const passing = await nodeThatSends(own, earlier, earlier, own);
  expect(await askRpc(passing.call, 'getSlot', [])).toEqual([7]);
  expect(await askRpc(passing.call, 'getSlot', [])).toEqual([7]);
  const lasting = await nodeThatSends(earlier);
  await expect(askRpc(lasting.call, 'getSlot', [])).rejects.toThrow('answered another request');
  expect(lasting.requests.length).toBe(4);
});

it.each([429, -32429])(
  'The error %j is "too many requests" whatever the status is',
  async (code) => {
    const { call } = await nodeThatSends(() => ({ error: { code } }));
    await expect(askRpc(call, 'getSlot', [])).rejects.toMatchObject({ kind: 'limited' });
  },
);

it('JSON-RPC takes "too many requests" in words for that, though the code is that of a skipped slot', async () => {
  const message = '50/second request limit reached - reduce calls per second or upgrade';
  const { call } = await nodeThatSends(() => ({ error: { code: -32007, message } }));
  await expect(askRpc(call, 'getBlock', [9])).rejects.toMatchObject({ kind: 'limited' });
});
