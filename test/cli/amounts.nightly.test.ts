import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import {
  type ChainNode,
  EvmChain,
  NODE_SECRET,
  openChainNode,
  word,
} from '../support/evm-chain.ts';
import { workplace } from '../support/import-cli.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const STAKING = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const rules = (min: string, of = `erc20: ${TOKEN}`) => `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE_ONE, NODE_TWO]}
rules:
  - id: holder # of pearls
    hold: {source: eth, ${of}, min: ${min}, since: 1}
    give: {type: held, points: 3}
`;

/** An ABI string. */
function abiText(text: string): string {
  const bytes = Buffer.from(text).toString('hex');
  return `0x${word(32)}${word(bytes.length / 2)}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')}`;
}

/** What a contract answers by selector; absent: it reverts. */
type Answers = Readonly<Record<string, string>>;
const token = (symbol: string, decimals: number | bigint): Answers => ({
  ...{ '0x313ce567': `0x${word(decimals)}`, '0x95d89b41': abiText(symbol) },
});

function answerWith(node: ChainNode, contracts: Readonly<Record<string, Answers>>): void {
  node.does.answers = (answer, { method, params, id }) => {
    if (method !== 'eth_call') return answer;
    const [{ to, data }] = params as [{ to: string; data: string }];
    const result = contracts[to.toLowerCase()]?.[data];
    if (result !== undefined) return { jsonrpc: '2.0', id, result };
    return { jsonrpc: '2.0', id, error: { code: 3, message: 'execution reverted' } };
  };
}

/** Runs `rules check --write` where both nodes answer like this, or each on its own. */
async function written(
  text: string,
  contracts: Readonly<Record<string, Answers>>,
  others: Readonly<Record<string, Answers>> = contracts,
) {
  const place = workplace();
  writeFileSync(join(place.cwd, 'rules.yaml'), text);
  const nodes = [
    await openChainNode(new EvmChain(4_000)),
    await openChainNode(new EvmChain(4_000)),
  ];
  answerWith(nodes[0] as ChainNode, contracts);
  answerWith(nodes[1] as ChainNode, others);
  const env = {
    NODE_ONE: String(nodes[0]?.url),
    NODE_TWO: String(nodes[1]?.url),
    DATABASE_URL: '',
  };
  const result = await place.runHere(['rules', 'check', 'rules.yaml', '--write'], env);
  expect(result.stdout + result.stderr).not.toContain(NODE_SECRET);
  return { ...result, file: place.read('rules.yaml') };
}

const at = (address: string, answers: Answers) => ({ [address.toLowerCase()]: answers });

it('fathom rules check --write asks the token once, and writes its decimals beside the base units', async () => {
  const { code, file, stdout, stderr } = await written(
    rules('10.5 PEARL'),
    at(TOKEN, token('PEARL', 18)),
  );
  expect(file).toBe(rules('{amount: 10.5 PEARL, decimals: 18, base: 10500000000000000000}'));
  expect(stderr).toContain('1 amount written.');
  expect(stdout).toContain(textsFor('en').rules.holding.token('10.5 PEARL', TOKEN, 'eth'));
  expect(code).toBe(0);
});

it('fathom rules check --write takes a symbol in small letters, and writes the own one', async () => {
  const { file } = await written(rules('10.5 pearl'), at(TOKEN, token('PEARL', 18)));
  expect(file).toBe(rules('{amount: 10.5 PEARL, decimals: 18, base: 10500000000000000000}'));
});

it('fathom rules check --write says balances in base units as people do, and changes nothing twice', async () => {
  const done = rules('{amount: 2.5 USDC, decimals: 6, base: 2500000}');
  expect((await written(rules('2500000'), at(TOKEN, token('USDC', 6)))).file).toBe(done);
  const again = await written(done, at(TOKEN, token('LIES', 2)));
  expect(again.file).toBe(done);
  expect(again.stderr).toContain('All amounts are complete.');
});

it('fathom rules check --write finds the token of a staking contract by the symbol that was said', async () => {
  const named = { '0x72f702f3': `0x${word(TOKEN)}` };
  const staking = `contract: ${STAKING}, plus: {event: "Staked(address user, uint256 amount)", wallet: user, amount: amount}, minus: {event: "Left(address user, uint256 amount)", wallet: user, amount: amount}`;
  const chain = { ...at(TOKEN, token('PEARL', 18)), ...at(STAKING, named) };
  const { file } = await written(rules('1 PEARL', staking), chain);
  expect(file).toContain('min: {amount: 1 PEARL, decimals: 18, base: 1000000000000000000}');
});

it.each([
  [
    'calls itself otherwise',
    '10 PEARL',
    at(TOKEN, token('PEARLS', 18)),
    'calls itself "PEARLS", not PEARL.',
  ],
  [
    'has a hostile name',
    '10 PEARL',
    at(TOKEN, token('PE\u202eARL\n<b>', 18)),
    'calls itself "PEARL <b>", not PEARL.',
  ],
  ['tells no decimals', '10', at(TOKEN, { '0x95d89b41': abiText('PEARL') }), undefined],
  [
    'tells no decimals',
    '10.5',
    at(TOKEN, { '0x95d89b41': abiText('PEARL') }),
    "doesn't say how many decimals it has.",
  ],
  [
    'tells impossible decimals',
    '10.5',
    at(TOKEN, token('PEARL', 255)),
    'says that it has 255 decimals, which no token can have.',
  ],
  [
    'tells nonsense for decimals',
    '10.5',
    at(TOKEN, token('PEARL', 2n ** 255n)),
    "doesn't say how many decimals it has.",
  ],
  ['isn’t there', '10 PEARL', {}, "doesn't say how many decimals it has."],
  [
    'is coarser than the amount',
    '10.5 PEARL',
    at(TOKEN, token('PEARL', 0)),
    'has 0 decimals, so this is too fine.',
  ],
] as const)(
  'fathom rules check --write leaves the file alone where a token %s (min: %s)',
  async (_, min, contracts, fault) => {
    const { file, stderr } = await written(rules(min), contracts);
    expect(file).toBe(rules(min));
    expect(stderr).toContain(
      fault === undefined ? 'All amounts are complete.' : `rules.yaml:8 ${min}: `,
    );
    expect(stderr).toContain(fault ?? '');
  },
);

it('fathom rules check --write believes no decimals that two nodes contradict each other about', async () => {
  const { code, file, stderr } = await written(
    rules('10 PEARL'),
    at(TOKEN, token('PEARL', 18)),
    at(TOKEN, token('PEARL', 6)),
  );
  expect(file).toBe(rules('10 PEARL'));
  expect(stderr).toContain('say different things');
  expect(code).toBe(2);
});
