import { expect, it } from 'vitest';
import {
  DAY,
  dayEndsOf,
  expectedChanges,
  HEAD,
  reading,
  TOKEN,
  tokenChain,
} from '../support/asked-reading.ts';
import { untilPasses } from '../support/eventually.ts';
import { type ChainNode, openChainNode } from '../support/evm-chain.ts';

/** A rule about transfers of the same token. */
const SEEN = `  - {id: seen, on: {source: eth, contract: ${TOKEN}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}, wallet: to, give: {type: seen, points: 1}}\n`;

/** Answers calls at blocks below this one in another way. */
function prunes(below: number, answer: object): ChainNode['does'] {
  return {
    answers: ({ id, ...own }, { method, params }) =>
      method === 'eth_call' && params[1] !== 'latest' && Number(params[1]) < below
        ? { jsonrpc: '2.0', id, ...answer }
        : { id, ...own },
  };
}

const error = (code: number, message: string, data?: string) => ({
  error: { code, message, data },
});

/* As the clients say it, of a block whose state they have pruned. */
it.each([
  ['geth', error(-32000, 'missing trie node 5f0ee1 (path ) state 0x5f0ee1 is not available')],
  ['geth, by paths', error(-32000, 'historical state 5f0ee1 is not available')],
  ['geth, as it traces', error(-32000, 'required historical state unavailable (reexec=128)')],
  ['Nethermind', error(-32002, 'No state available for block 1234 (0x5f0e…6c71)')],
  [
    'Nethermind before it caught that',
    error(
      -32603,
      'Internal error',
      'Nethermind.Trie.MissingTrieNodeException: Node 0x5f0e is missing from the DB',
    ),
  ],
  ['Besu', error(-32000, 'World state unavailable')],
  ['Besu, which may only say this', error(-32603, 'Internal error')],
  ['Besu with Bonsai', { result: null }],
  ['Erigon', error(-32000, 'old data not available due to pruning: requested block 1234')],
  ['Erigon 2', { result: '0x' }],
  ['another Erigon 2', error(3, 'execution reverted')],
  ['Reth', error(-32603, 'State at block #1234 is pruned')],
  [
    'OpenEthereum',
    error(
      -32000,
      'This request is not supported because your node is running with state pruning. Run with --pruning=archive.',
    ),
  ],
  ['one that no list knows', error(-32000, 'no such thing')],
])('%s needs an archive node, and is waited for', async (_, answer) => {
  const chain = tokenChain(Math.round(3.2 * DAY));
  const node = await openChainNode(chain);
  const [first, second] = dayEndsOf(chain) as [number, number];
  node.does = prunes(second, answer);
  const { start, state, changes } = await reading([node]);
  const reader = start();
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toContain(
    `keeps no balances of block ${first}: use an archive node`,
  );
  expect((await state())?.verdict).toBeUndefined();
  node.does = {};
  await untilPasses(async () => expect((await state())?.verdict).toBe('sound'));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('A node that is a moment behind needs no archive', async () => {
  const chain = tokenChain();
  const node = await openChainNode(chain);
  const [first] = dayEndsOf(chain) as [number];
  node.does = {
    // Another machine behind its address, which hasn't this block yet.
    answers: ({ id, ...own }, { method, params }) => {
      if (method === 'eth_call' && Number(params[1]) === first) {
        return { id, ...error(-32000, 'header not found') };
      }
      return method === 'eth_getBlockByNumber' && Number(params[0]) === first
        ? { id, result: null }
        : { id, ...own };
    },
  };
  const { start } = await reading([node]);
  const reader = start();
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).not.toContain('archive');
  node.does = {};
});

it('A rule that waits for an archive node stops no other of its source', async () => {
  const chain = tokenChain();
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  for (const { does } of nodes) does.keepsBalancesFrom = HEAD;
  const { start, state, changes } = await reading(nodes, SEEN);
  const reader = start();
  await untilPasses(async () => expect((await state(1))?.position.height).toBe(HEAD));
  const [first] = dayEndsOf(chain) as [number];
  expect((await state())?.position.height).toBe(first);
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toMatch(
    /^Rules with "by: balance" wait for balances of eth, while the rest is read: .* use an archive node/,
  );
  // The nodes are used on for what they have.
  chain.head += 10;
  await untilPasses(async () => expect((await state(1))?.position.height).toBe(HEAD + 10));
  for (const node of nodes) node.does = {};
  await untilPasses(async () => expect((await state())?.verdict).toBe('sound'));
  await untilPasses(() => expect(reader.status().words).toBeUndefined());
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('Balances cost a request a day, beside those that reading costs anyway', async () => {
  const chain = tokenChain();
  const requests = async (isAsked: boolean) => {
    const node = await openChainNode(chain);
    node.does.widest = 500;
    const { start, state } = await reading([node], SEEN, isAsked);
    const reader = start();
    await untilPasses(async () =>
      expect((await state(isAsked ? 1 : 0))?.position.height).toBe(HEAD),
    );
    await reader.stop();
    return { all: node.requests, ranges: node.ranges.length };
  };
  const [plain, asked] = [await requests(false), await requests(true)];
  const days = dayEndsOf(chain).length;
  // Where blocks are searched for that end days, too.
  expect(asked.all - plain.all).toBeLessThanOrEqual(days * 8);
  expect(asked.ranges).toBeLessThanOrEqual(1.5 * (HEAD / 500 + days));
});
