import { toEventSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { inputsBySource } from '#scoring/inputs/input';
import { type ChainLog, EvmChain, openChainNode, word } from '../support/evm-chain.ts';
import { A, B, open } from '../support/evm-reading.ts';
import { validRules } from '../support/rules.ts';

const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const END = 100;

function inputsOf(...rules: readonly string[]) {
  const { rules: read } = validRules(`fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
${rules.join('\n')}`);
  return inputsBySource([read]).get('eth') ?? [];
}

function ruleOf(id: string, event: string, wallet = 'who'): string {
  return `  - {id: ${id}, on: {source: eth, contract: ${CONTRACT}, event: ${event}, since: 1}, wallet: ${wallet}, give: {type: seen, points: 1}}`;
}

/** @param words the arguments in the log's data */
function log(block: number, text: string, topics: readonly string[], ...words: string[]): ChainLog {
  const address = CONTRACT.toLowerCase();
  const all = [toEventSelector(text), ...topics.map((each) => `0x${each}`)];
  return { block, address, topics: all, data: `0x${words.join('')}` };
}

async function read(inputs: ReturnType<typeof inputsOf>, logs: readonly ChainLog[]) {
  const source = open([await openChainNode(new EvmChain(END, logs))]);
  const signal = AbortSignal.timeout(10_000);
  const from = await source.begin({ kind: 'height', height: 1n }, signal);
  const all: { input: number; height: number; args: string }[] = [];
  const leftOut = inputs.map(() => 0);
  for (let at = from; at.height < END; ) {
    const stretch = await source.read({ inputs, from: at, upTo: END, signal });
    for (const { input, height, args } of stretch.events) all.push({ input, height, args });
    for (const [place, count] of (stretch.leftOut ?? []).entries()) {
      leftOut[place] = (leftOut[place] ?? 0) + count;
    }
    at = stretch.end;
  }
  return { events: all, leftOut };
}

const VOTED = 'Voted(address,uint8)';

describe('logs that match the topic but not the declaration', () => {
  it('are counted for each input that they are of', async () => {
    const inputs = inputsOf(
      ruleOf('plain', '"Voted(address who, uint8 support)"'),
      ruleOf('indexed', '"Voted(address indexed who, uint8 support)"'),
      `  - {id: lp, hold: {source: eth, erc20: ${CONTRACT}, min: 1, since: 1}, give: {type: held, points: 1}}`,
    );
    const { events, leftOut } = await read(inputs, [
      log(10, VOTED, [word(A)], word(1)),
      log(20, VOTED, [word(B)], word(0)),
      log(30, VOTED, [], word(A), word(1)),
      // A collection's transfer, which indexes the token too.
      log(40, 'Transfer(address,address,uint256)', [word(A), word(B), word(7)]),
    ]);
    expect(events.map(({ input, height }) => [input, height])).toEqual([
      [1, 10],
      [1, 20],
      [0, 30],
    ]);
    expect(leftOut).toEqual([2, 1, 1]);
  });

  it('count where one of several declarations is theirs', async () => {
    const event =
      '["Voted(address indexed who, uint8 support)", "Voted(address who, uint8 support)", "Voted(uint256 proposal, address indexed who)"]';
    const inputs = inputsOf(ruleOf('vote', event));
    const { events, leftOut } = await read(inputs, [
      log(10, VOTED, [word(A)], word(1)),
      log(20, VOTED, [], word(B), word(0)),
      log(30, 'Voted(uint256,address)', [word(A)], word(5)),
      log(40, VOTED, [word(A), word(1)]),
    ]);
    expect(events.map(({ height, args }) => [height, JSON.parse(args)])).toEqual([
      [10, expect.objectContaining({ support: '1' })],
      [20, expect.objectContaining({ support: '0' })],
      [30, expect.objectContaining({ proposal: '5' })],
    ]);
    expect(leftOut).toEqual([1]);
  });
});

describe('logs of a contract that indexes another argument than declared, and as many', () => {
  const indexed = '"Staked(address indexed who, uint256 amount)"';
  const STAKED = 'Staked(address,uint256)';
  const logs = [
    log(10, STAKED, [word(A)], word(10n ** 18n)),
    log(20, STAKED, [word(10n ** 18n)], word(A)),
    // Burned, and so of nobody, but an address all the same.
    log(30, STAKED, [word(0xdeadn)], word(1)),
  ];

  it('are left out, as no number is a wallet', async () => {
    const { events, leftOut } = await read(inputsOf(ruleOf('stake', indexed)), logs);
    expect(events.map(({ height }) => height)).toEqual([10, 30]);
    expect(leftOut).toEqual([1]);
  });
});

describe('values that no encoder writes', () => {
  const dirty = `${'f'.repeat(62)}01`;

  it.each([
    ['an unsigned integer with high bits', 'Set(address,uint8)', 'uint8', dirty],
    ['a signed integer beyond its type', 'Set(address,int8)', 'int8', word(128)],
    ['a boolean of 2', 'Set(address,bool)', 'bool', word(2)],
  ])('%s leaves the event out, indexed or not', async (_, text, type, value) => {
    const inputs = inputsOf(
      ruleOf('plain', `"Set(address indexed who, ${type} value)"`),
      ruleOf('indexed', `"Set(address indexed who, ${type} indexed value)"`),
      ruleOf('list', `"Set(address indexed who, uint256[] some, ${type} value)"`),
    );
    const listed = text.replace(',', ',uint256[],');
    const { events, leftOut } = await read(inputs, [
      log(10, text, [word(A)], value),
      log(20, text, [word(A), value]),
      log(30, listed, [word(A)], word(64), value, word(0)),
      log(40, text, [word(A)], word(1)),
      log(50, text, [word(A), word(1)]),
      log(60, listed, [word(A)], word(64), word(1), word(0)),
    ]);
    expect(events.map(({ input, height }) => [input, height])).toEqual([
      [0, 40],
      [1, 50],
      [2, 60],
    ]);
    // Those of the other declaration don't fit either.
    expect(leftOut).toEqual([3, 3, 1]);
  });
});
