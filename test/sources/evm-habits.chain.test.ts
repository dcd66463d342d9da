import { toEventSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { inputsBySource, type SourceInput } from '#scoring/inputs/input';
import { type ChainNode, EvmChain, hex, openChainNode, word } from '../support/evm-chain.ts';
import { A, expected, LOGS, open, readAll, signal } from '../support/evm-reading.ts';
import { validRules } from '../support/rules.ts';

/* Habits of clients where they're asked for code, balances, units and what is final. */

const HEAD = 3_000;
const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const OWNER = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const QUESTION = { contract: TOKEN, events: ['Transfer(address,address,uint256)'] };
/** The first block with a log of the token. */
const FIRST = 100;

const [HOLD] =
  inputsBySource([
    validRules(`fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: held, hold: {source: eth, erc20: "${TOKEN}", min: 1, since: 1, by: balance}, give: {type: held, points: 1}}`)
      .rules,
  ]).get('eth') ?? [];

type Answers = NonNullable<ChainNode['does']['answers']>;

async function sourceOf(does: ChainNode['does'], chain = new EvmChain(HEAD, LOGS)) {
  const node = await openChainNode(chain);
  node.does = does;
  return open([node]);
}

/** Answers calls of a method like this. */
function answering(method: string, answer: (params: readonly unknown[]) => object): Answers {
  return (own, call) =>
    call.method === method ? { jsonrpc: '2.0', id: own.id, ...answer(call.params) } : own;
}

const refused = { error: { code: -32602, message: 'invalid argument 0: unknown block tag' } };

describe('a client that', () => {
  it('writes quantities with zeros before them is read as any other', async () => {
    const padded = (value: unknown) => String(value).replace('0x', `0x${'0'.repeat(40)}`);
    const all = (object: Record<string, unknown>, names: readonly string[]) => ({
      ...object,
      ...Object.fromEntries(names.map((name) => [name, padded(object[name])])),
    });
    const source = await sourceOf({
      dates: (header) => all(header, ['number', 'timestamp']),
      alters: (log) => all(log, ['blockNumber', 'blockTimestamp', 'logIndex', 'transactionIndex']),
      answers: answering('eth_chainId', () => ({ result: padded('0x1') })),
    });
    expect(await readAll(source)).toEqual(await expected());
  });

  it.each([
    ['refuses it', refused],
    ['knows none', { result: null }],
  ])('is asked for what is final and %s names the setting for that', async (_, answer) => {
    const answers: Answers = (own, call) =>
      call.params[0] === 'finalized' ? { jsonrpc: '2.0', id: own.id, ...answer } : own;
    await expect((await sourceOf({ answers })).end(signal)).rejects.toThrow('"ingest: depth N"');
    const chain = new EvmChain(HEAD, LOGS);
    const node = await openChainNode(chain);
    node.does = { answers };
    const source = open([node], { source: { id: 'eth', chain: 'eip155:1', depth: 20 } });
    expect(await source.end(signal)).toMatchObject({ height: HEAD - 20 });
  });

  it('refuses whatever is asked is not said to lack a tag', async () => {
    const source = await sourceOf({
      answers: answering('eth_getBlockByNumber', () => ({
        error: { code: -32000, message: 'your plan does not include this' },
      })),
    });
    await expect(source.end(signal)).rejects.toThrow(/refused the request \(code -32000\)/);
  });

  it.each([
    'execution reverted',
    'invalid opcode: INVALID',
    'invalid opcode: opcode 0xfe not defined',
    'invalid jump destination',
    'stack underflow (0 <=> 1)',
    'EVM error: InvalidFEOpcode',
    'EVM error InvalidJump',
    'VM execution error.',
    'VM Exception while processing transaction: invalid opcode',
    'Bad instruction fe',
  ])('calls a failing contract "%s" tells that the contract has no unit', async (message) => {
    const source = await sourceOf({
      answers: answering('eth_call', () => ({ error: { code: -32000, message } })),
    });
    expect(await source.tokenUnit(TOKEN, undefined, signal)).toBeUndefined();
  });

  it('returns more than a balance is understood', async () => {
    const source = await sourceOf({
      answers: answering('eth_call', () => ({ result: `0x${word(7)}${word(9)}` })),
    });
    if (HOLD === undefined) throw new Error('there is no input');
    const at = await source.begin({ kind: 'height', height: 2_000n }, signal);
    const told = await source.balancesOf({ input: HOLD, addresses: [OWNER], at, signal });
    expect(told).toEqual([7n]);
  });

  it.each([
    'historical state 9f7 is not available',
    "state histories haven't been fully indexed yet",
    'requested block is too old, block must be within 100000 blocks of the head block number',
    'missing trie node 9f7 (path ) state 0x9f7 is not available, not found',
  ])('keeps no old balances and says "%s" is no archive node', async (message) => {
    const source = await sourceOf({
      answers: (own, call) =>
        call.method === 'eth_call' && call.params[1] !== 'latest'
          ? { jsonrpc: '2.0', id: own.id, error: { code: -32000, message } }
          : own,
    });
    if (HOLD === undefined) throw new Error('there is no input');
    const at = await source.begin({ kind: 'height', height: 2_000n }, signal);
    const told = source.balancesOf({ input: HOLD, addresses: [OWNER], at, signal });
    await expect(told).rejects.toThrow('use an archive node');
  });
});

describe('where a contract begins, by a client that', () => {
  /** A node with this to say of code; undefined: nothing of its own. */
  const codes = (codeAt: (height: number) => string | null) =>
    answering('eth_getCode', ([, at]) => ({
      result: codeAt(at === 'latest' ? HEAD : Number(at)),
    }));

  it.each(['0x', '0x0'])('calls no code %s, is its deployment', async (none) => {
    const source = await sourceOf({ answers: codes((at) => (at < 90 ? none : '0x6000')) });
    const { first } = await source.inspect(QUESTION, signal);
    expect(first).toEqual({ block: FIRST, by: 'log' });
  });

  it('has pruned old states and says there was no code, is its first log', async () => {
    const source = await sourceOf({
      answers: codes((at) => (at < HEAD - 128 ? '0x' : '0x6000')),
    });
    const { first } = await source.inspect(QUESTION, signal);
    expect(first).toEqual({ block: FIRST, by: 'log' });
  });

  it('says null of old states, is its first log', async () => {
    const source = await sourceOf({
      answers: codes((at) => (at < HEAD - 128 ? null : '0x6000')),
    });
    const { first } = await source.inspect(QUESTION, signal);
    expect(first).toEqual({ block: FIRST, by: 'log' });
  });

  it('sends logs that are not in a block yet, is never the first block', async () => {
    const source = await sourceOf({
      answers: codes((at) => (at < 90 ? '0x' : '0x6000')),
      alters: (log) => (log.blockNumber === hex(FIRST) ? { ...log, blockNumber: null } : log),
    });
    const { first } = await source.inspect(QUESTION, signal);
    expect(first).not.toEqual({ block: 0, by: 'log' });
  });
});

it('A look at the newest logs of a busy contract takes fewer blocks', async () => {
  const topics = [TRANSFER, `0x${word(OWNER)}`, `0x${word(A)}`];
  const each = { address: TOKEN.toLowerCase(), topics, data: `0x${word(1n)}` };
  const logs = Array.from({ length: 26_000 }, (_, place) => ({
    ...each,
    block: HEAD - Math.floor(place / 130),
  }));
  const source = await sourceOf({}, new EvmChain(HEAD, logs));
  const input = { ...HOLD, holding: { kind: 'erc20', contract: TOKEN } } as SourceInput;
  expect(await source.sample(input, signal)).toMatchObject({ logs: 20, fit: 20 });
});

it('A start that the chain hasn’t reached is named, and no node', async () => {
  const node = await openChainNode(new EvmChain(3_000, LOGS));
  const source = open([node]);
  const { height } = await source.end(signal);
  const beginning = source.begin({ kind: 'height', height: 1_000_000n }, signal);
  await expect(beginning).rejects.toThrow(RetryableError);
  await expect(beginning).rejects.toThrow(new RegExp(`block 1000000\\b.*block ${height}\\b`));
});
