import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { inputsBySource } from '#scoring/inputs/input';
import { EvmChain, openChainNode } from '../support/evm-chain.ts';
import { open, signal } from '../support/evm-reading.ts';
import { validRules } from '../support/rules.ts';

const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const B = 'be'.repeat(20);
const BEHIND = getAddress(`0x${B}`);
/** One with leading zeros, as whoever looks for cheap ones finds. */
const SHORT = getAddress(`0x${'ff'.repeat(15).padStart(40, '0')}`);

const [INPUT] =
  inputsBySource([
    validRules(`fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: staked, on: {source: eth, contract: ${CONTRACT}, event: "Staked(address indexed who)", since: 1}, wallet: who, give: {type: staked, points: 1}}`)
      .rules,
  ]).get('eth') ?? [];

/** What is said of a contract with this code, beside one whose code does nothing. */
async function proxyWords(code: string, behind = BEHIND): Promise<string | undefined> {
  const chain = new EvmChain(10);
  chain.codes.set(CONTRACT.toLowerCase(), `0x${code}`);
  chain.codes.set(behind.toLowerCase(), '0x00');
  const source = open([await openChainNode(chain)]);
  if (INPUT === undefined) throw new Error('there is no input');
  return (await source.sample(INPUT, signal))?.proxy;
}

/* What stands on the chains, up to the address. Sources: EIP-1167, its optimised and PUSH0 forms, Vyper, 0xSplits. */
it.each([
  ['EIP-1167', `363d3d373d3d3d363d73${B}5af43d82803e903d91602b57fd5bf3`],
  ['EIP-1167, optimised', `3d3d3d3d363d3d37363d73${B}5af43d3d93803e602a57fd5bf3`],
  ['PUSH0', `365f5f375f5f365f73${B}5af43d5f5f3e5f3d91602a57fd5bf3`],
  ['Vyper', `366000600037611000600036600073${B}5af4602c57600080fd5b6110006000f3`],
  [
    '0xSplits, with an event as it receives ether',
    `36602f57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff593da1005b3d3d3d3d363d3d37363d73${B}5af43d3d93803e606057fd5bf3`,
  ],
  [
    'with arguments behind it',
    `3d3d3d3d363d3d3761003f6037363936610 03f013d73${B}5af43d3d93803e603557fd5bf3`.replace(' ', ''),
  ],
])('a clone is recognised: %s', async (_, code) => {
  expect(await proxyWords(code)).toBe(`It's a clone of ${BEHIND}, which answers for it.`);
});

it('a clone may leave out zeros that an address begins with', async () => {
  const code = `363d3d373d3d3d363d6e${'ff'.repeat(15)}5af43d82803e903d91602757fd5bf3`;
  expect(await proxyWords(code, SHORT)).toBe(`It's a clone of ${SHORT}, which answers for it.`);
});

it.each([
  ['calls a library', `6080604052600080fd5b73${B}5af4`],
  // Its metadata has a byte like DELEGATECALL.
  ['never runs what is not its own', '600060005260206000f3fe60f4'],
  ['ends within a push', '6000736000'],
  [
    'has DELEGATECALL in what it pushes alone',
    '7ff4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f450',
  ],
])('a contract that %s is no clone', async (_, code) => {
  const node = { code, words: await proxyWords(code) };
  expect(node.words ?? '').not.toContain('clone');
});
