import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { inputsBySource } from '#scoring/inputs/input';
import { EvmChain, openChainNode, word } from '../support/evm-chain.ts';
import { open, signal } from '../support/evm-reading.ts';
import { validRules } from '../support/rules.ts';
import { SAFE_PROXIES } from '../support/safe-proxies.ts';
import published from './vectors/proxies.json' with { type: 'json' };

/* The code of proxies as their authors publish it; `file` is where it stands in the package. */

const proxies: readonly Proxy[] = [
  ...published.proxies,
  ...Object.entries(SAFE_PROXIES).map(([name, code]) => ({ name, code, keeps: 'first-slot' })),
];

const PROXY = getAddress('0x5afe00000000000000000000000000000000cafe');
const BEACON = getAddress('0xbeac000000000000000000000000000000000000');
const BEHIND = getAddress(`0x${'be'.repeat(20)}`);
/** `implementation()`. */
const IMPLEMENTATION = '0x5c60da1b';
const SLOTS: Readonly<Record<string, string>> = {
  'first-slot': `0x${word(0)}`,
  eip1967: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  zos: '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
};

const [INPUT] =
  inputsBySource([
    validRules(`fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: staked, on: {source: eth, contract: "${PROXY}", event: "Staked(address indexed who)", since: 1}, wallet: who, give: {type: staked, points: 1}}`)
      .rules,
  ]).get('eth') ?? [];

type Proxy = Pick<(typeof published.proxies)[number], 'name' | 'keeps' | 'code'>;

function chainWith({ code, keeps }: Proxy): EvmChain {
  const chain = new EvmChain(10);
  const at = (address: string, key: string) => `${address} ${key}`.toLowerCase();
  chain.codes.set(PROXY.toLowerCase(), code);
  chain.codes.set(BEHIND.toLowerCase(), '0x6000');
  chain.codes.set(BEACON.toLowerCase(), '0x6000');
  const kept = keeps === 'beacon' ? BEACON : BEHIND;
  const slot = SLOTS[keeps];
  if (slot !== undefined) chain.storage.set(at(PROXY, slot), `0x${word(kept)}`);
  const named = keeps === 'beacon' ? BEACON : PROXY;
  const isAsked = keeps === 'beacon' || keeps === 'implementation()';
  // The others' forward it, or answer their admin alone.
  if (isAsked) chain.returns.set(at(named, IMPLEMENTATION), `0x${word(BEHIND)}`);
  return chain;
}

async function sampleOf(chain: EvmChain, does = {}) {
  const node = await openChainNode(chain);
  node.does = does;
  if (INPUT === undefined) throw new Error('there is no input');
  return await open([node]).sample(INPUT, signal);
}

describe('the proxy of', () => {
  it.each(proxies.map((each) => [each.name, each] as const))(
    '%s is told, and what is behind it',
    async (_, proxy) => {
      const told = await sampleOf(chainWith(proxy));
      expect(told?.proxy).toBe(
        `It's a proxy of ${BEHIND}, which can be exchanged, and its events with it.`,
      );
      expect(told?.balances).toBe(
        'The code that answers for it has no such event: is it declared as in the contract?',
      );
    },
  );

  it.each(proxies.map((each) => [each.name, each] as const))(
    '%s is never taken for a contract of its own where a node refuses calls',
    async (_, proxy) => {
      const refused = { error: { code: -32000, message: 'invalid opcode: INVALID' } };
      const told = await sampleOf(chainWith(proxy), {
        answers: (answer: { id: unknown }, { method }: { method: string }) =>
          method === 'eth_call' || method === 'eth_getStorageAt'
            ? { jsonrpc: '2.0', id: answer.id, ...refused }
            : answer,
      });
      expect(told?.proxy).toMatch(/^It may be a proxy|^It hands calls on/);
      expect(told?.balances).toBeUndefined();
    },
  );
});

describe('code', () => {
  const any = published.proxies[0] as Proxy;
  const sampled = (code: string) => sampleOf(chainWith({ ...any, code, keeps: '' }));

  it.each(['0x', '0x0'])('%s is none', async (code) => {
    expect(await sampled(code)).toMatchObject({ hasCode: false });
  });

  it.each([
    ['Stylus', '0xeff00000aabbccdd'],
    ['PolkaVM', '0x50564d0000aabb'],
    ['an object format', '0xef000101000402'],
  ])('of another machine, such as %s, lacks nothing', async (_, code) => {
    expect(await sampled(code)).toMatchObject({ hasCode: true, balances: undefined });
  });
});
