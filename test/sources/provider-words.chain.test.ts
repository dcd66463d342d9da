import { describe, expect, it } from 'vitest';
import { type ChainNode, EvmChain, openChainNode } from '../support/evm-chain.ts';
import { expected, INPUTS, LOGS, open, readAll, signal } from '../support/evm-reading.ts';

/* How providers and clients say that they're asked too much, too often, or for what they don't have. */

const HEAD = 3_000;

async function nodeOf(does: ChainNode['does'], chain = new EvmChain(HEAD, LOGS)) {
  const node = await openChainNode(chain);
  node.does = does;
  return node;
}

const refusal = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message } });

describe('a provider that', () => {
  it.each([
    [-32000, 'cannot query unfinalized data'],
    [1, "requested a future epoch (beyond 'latest')"],
    [-32014, 'block not yet imported'],
  ])(
    'lacks the newest blocks, and says so of a block alone, too, is behind (%s %s)',
    async (code, message) => {
      const head = 2_960;
      const node = await nodeOf({}, new EvmChain(head, LOGS));
      const source = open([node]);
      const from = await source.begin({ kind: 'height', height: BigInt(head - 10) }, signal);
      const { height: upTo } = await source.end(signal);
      node.does = {
        knowsUpTo: from.height + 1,
        beyond: { code, message },
        answers: ({ result, ...rest }, { method }) =>
          method === 'eth_getBlockByNumber' && result === null
            ? { ...rest, error: { code, message } }
            : { result, ...rest },
      };
      const read = source.read({ inputs: INPUTS, from, upTo, signal });
      await expect(read).rejects.toThrow(/doesn't have block \d+/);
      expect(source.nodes()[0]?.widest).toBeUndefined();
    },
  );

  it.each([
    [-32007, '25/second request limit reached - reduce calls per second'],
    [-32012, 'credits limited to 6000/sec'],
    [15, 'Too many request, try again later'],
    [-32005, 'project ID request rate exceeded'],
    [-32005, "You've exceeded the RPS limit available on the current plan"],
  ])(
    'asks for fewer requests is asked more slowly, not for less (%s %s)',
    async (code, message) => {
      const node = await nodeOf({});
      let asked = 0;
      node.does.instead = (res, calls) => {
        asked += 1;
        if (asked !== 4) return false;
        const all = calls.map(({ id }) => ({ id, ...refusal(code, message) }));
        res.end(JSON.stringify(calls.length === 1 ? all[0] : all));
        return true;
      };
      const source = open([node]);
      expect(await readAll(source)).toEqual(await expected());
      // Its refusal says nothing of how much it answers at once.
      expect(source.nodes()[0]?.widest).toBeUndefined();
    },
  );

  it('sells old blocks, and says so with status 403, has pruned them', async () => {
    const node = await nodeOf({
      instead(res, calls) {
        if (!calls.some(({ method }) => method === 'eth_getLogs')) return false;
        res.statusCode = 403;
        const error = { code: -32701, message: 'Archive requests require a personal token' };
        res.end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))));
        return true;
      },
    });
    await expect(readAll(open([node]))).rejects.toThrow('has pruned blocks this old');
  });
});
