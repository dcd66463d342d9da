import { expect, it } from 'vitest';
import { converse } from '#cli/init/conversation';
import { readRulesOption } from '#cli/init/read-options';
import { EvmChain, openChainNode, word } from '../support/evm-chain.ts';
import { type Answer, answering, contextOf, NOTHING } from '../support/init-answers.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ETHEREUM = 'eip155:1';
/** Code that pushes the topic of `Transfer`. */
const LOGS_TRANSFERS = '0x7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Bytes of an ABI string of up to 32 characters. */
function shortText(text: string): string {
  const bytes = Buffer.from(text).toString('hex');
  return `0x${word(32)}${word(bytes.length / 2)}${bytes.padEnd(64, '0')}`;
}

/** Answers about an ERC-20 token that a node knows. @param decimals what the token says of itself */
async function ofToken(decimals: bigint, answers: readonly Answer[]) {
  const chain = new EvmChain(4_000);
  chain.codes.set(TOKEN.toLowerCase(), LOGS_TRANSFERS);
  chain.returns.set(`${TOKEN} 0x313ce567`.toLowerCase(), `0x${word(decimals)}`);
  chain.returns.set(`${TOKEN} 0x95d89b41`.toLowerCase(), shortText('PEARL'));
  const { url } = await openChainNode(chain);
  const asked = answering(answers);
  const { prompts, say } = asked;
  const nodes = new Map([[ETHEREUM, [url.href]]]);
  const given = { ...NOTHING, name: 'reef', database: 'sqlite:./f.db', nodes };
  const rules = readRulesOption('erc20-holder');
  const context = contextOf({ prompts, say, isOffline: false, given: { ...given, rules } });
  return { ...asked, plan: await converse(context) };
}

it('An amount of another token is asked for again, and its symbol may be typed in small letters', async () => {
  const { plan, said, left } = await ofToken(18n, [
    ['Which bots', []],
    ['On which chain?', ETHEREUM],
    ['Address of the token', TOKEN],
    ['Smallest balance', '10 coral'],
    ['Smallest balance', '0.0000000000000000001'],
    ['Smallest balance', '10 pearl'],
    ['Points for each full day', ''],
  ]);
  expect(left).toEqual([]);
  expect(said).toContain('the token calls itself "PEARL", not coral. Is it the right one?');
  expect(said).toContainEqual(expect.stringContaining('has more decimals than the token'));
  const min = '{amount: 10 PEARL, decimals: 18, base: 10000000000000000000}';
  expect(plan.rules).toContain(`min: ${min}`);
});

it('A contract that logs none of the events is asked for again, and stands if it is meant', async () => {
  const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
  const chain = new EvmChain(4_000);
  chain.codes.set(TOKEN.toLowerCase(), '0x6000');
  chain.codes.set(other.toLowerCase(), LOGS_TRANSFERS);
  const { url } = await openChainNode(chain);
  const plan = async (answers: readonly Answer[]) => {
    const { prompts, say, said, left } = answering(answers);
    const nodes = new Map([[ETHEREUM, [url.href]]]);
    const given = { ...NOTHING, name: 'reef', database: 'sqlite:./f.db', nodes };
    const rules = readRulesOption('erc20-holder');
    const { rules: text } = await converse(
      contextOf({ prompts, say, isOffline: false, given: { ...given, rules } }),
    );
    expect(left).toEqual([]);
    const doubts = said.filter((each) => each.includes('is it the right contract?'));
    return { text, doubts };
  };
  const last: Answer[] = [
    ['Smallest balance', '10'],
    ['Points for each full day', ''],
  ];
  const first: Answer[] = [
    ['Which bots', []],
    ['On which chain?', ETHEREUM],
    ['Address of the token', TOKEN],
  ];
  const mended = await plan([...first, ['Address of the token', other], ...last]);
  expect(mended.doubts).toHaveLength(1);
  expect(mended.text).toContain(other);
  expect(mended.text).not.toContain(TOKEN);
  // An empty answer takes what is offered: the same address.
  const meant = await plan([...first, ['Address of the token', ''], ...last]);
  expect(meant.doubts).toHaveLength(1);
  expect(meant.text).toContain(TOKEN);
});

it('Decimals that no token can have are asked for instead', async () => {
  const { plan } = await ofToken(255n, [
    ['Which bots', []],
    ['On which chain?', ETHEREUM],
    ['Address of the token', TOKEN],
    ['Smallest balance', '10'],
    ['Decimals of the token', '6'],
    ['Points for each full day', ''],
  ]);
  expect(plan.rules).toContain('min: {amount: 10 PEARL, decimals: 6, base: 10000000}');
});

it('Answers that do not fit together are asked for once more, without those before', async () => {
  const about = (min: string): Answer[] => [
    ['On which chain?', ETHEREUM],
    ['Address of the token', TOKEN],
    ['Smallest balance', min],
    ['Decimals of the token', '6'],
    ['Block of its first transfer', '1'],
    ['Points for each full day', ''],
  ];
  const [chain, ...rest] = about('0.0000001');
  const url = 'https://one.example.org/KEY';
  const nodes: Answer[] = [
    ['URL of a node of Ethereum', url],
    ['URL of a second node', `${url}2`],
  ];
  const first: Answer[] = [
    ['Which bots', []],
    ['What should count?', ['erc20-holder']],
    ['What is your community called?', 'Reef'],
  ];
  const answers = [...first, chain as Answer, ...nodes, ...rest, ...about('0.5')];
  const { prompts, said, say, left } = answering(answers);
  const given = { ...NOTHING, database: 'sqlite:./f.db' };
  const { settings, rules } = await converse(contextOf({ prompts, say, given }));
  expect(left).toEqual([]);
  expect(said).toContain(
    '--min: 0.0000001 has more decimals than the token, which has 6. Please answer once more.',
  );
  expect(rules).toContain('min: {amount: 0.5, decimals: 6, base: 500000}');
  // Both nodes are written once, and the rules read both.
  const names = ['ETHEREUM_RPC_URL', 'ETHEREUM_RPC_URL_2'];
  expect(settings.map(({ name }) => name)).toEqual(['DATABASE_URL', ...names, 'RULES']);
  expect(rules).toContain(`rpc: [${names.join(', ')}]`);
});
