import { join } from 'node:path';
import { type Address, createTestClient, http, publicActions, walletActions } from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHere, workplace } from '../../support/import-cli.ts';
import { patienceMs } from '../../support/patience.ts';
import { serveHere } from '../../support/serve-here.ts';
import { compileContracts } from './compile.ts';
import { type Anvil, missingAnvil, startAnvil } from './node.ts';
import { DAY_0 } from './reef.ts';

const DAY = 86_400;
const NAMES = ['Wraps', 'Blesses', 'Both', 'Silent', 'Halves', 'Gone'] as const;
/** Lone: Blesses once more, of which c alone has some. */
type Name = (typeof NAMES)[number] | 'Lone' | 'Early';

/** On the first day a and c get tokens of each kind, on the second a gives b some. */
async function play(url: string) {
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
  const [a, b, c] = (await client.getAddresses()) as [Address, Address, Address];
  const contractOf = compileContracts('OddTokens.sol');
  const at = (day: number) =>
    client.setNextBlockTimestamp({ timestamp: BigInt(DAY_0 + day * DAY + 3_600) });
  await at(0);
  const tokens = {} as Record<Name, Address>;
  const codeOf = (name: Name) => (name === 'Lone' ? 'Blesses' : name);
  const send = async (name: Name, functionName: string, args: unknown[], account = a) => {
    const { abi } = contractOf(codeOf(name));
    const call = { abi, address: tokens[name], functionName, args, account, gas: 300_000n };
    const hash = await client.writeContract(call);
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${functionName} of ${name} failed`);
  };
  for (const name of [...NAMES, 'Lone'] as const) {
    const args = name === 'Silent' ? [b] : [];
    const hash = await client.deployContract({ ...contractOf(codeOf(name)), args, account: a });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    tokens[name] = contractAddress as Address;
    for (const account of name === 'Lone' ? [c] : [a, c]) await send(name, 'give', [300n], account);
  }
  const early = await client.deployContract({ ...contractOf('Early'), account: a });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: early });
  tokens.Early = contractAddress as Address;
  await at(1);
  for (const name of NAMES) await send(name, 'transfer', [b, 100n]);
  await at(4);
  await client.mine({ blocks: 4 });
  return { wallets: { a, b, c }, tokens };
}

describe.skipIf(missingAnvil !== undefined)(missingAnvil ?? 'tokens of odd ways', () => {
  let anvil: Anvil;
  let played: Awaited<ReturnType<typeof play>>;
  beforeAll(async () => {
    anvil = await startAnvil(DAY_0);
    played = await play(anvil.url);
  });
  afterAll(() => anvil?.remove());

  /** @param names of tokens with a rule each, the first of which gives a point a day, the next 10, 100 … */
  function placeOf(how: string, names: readonly Name[]) {
    const rule = (name: Name, place: number) =>
      `  - {id: ${name.toLowerCase()}, hold: {source: eth, erc20: "${played.tokens[name]}", min: 90, since: 0${how}}, give: {type: held, points: ${10 ** place}}}\n`;
    const place = workplace({
      'rules.yaml': `fathom: 1
name: tokens
version: 1
sources:
  eth: {chain: "eip155:31337", rpc: [NODE]}
rules:
${names.map(rule).join('')}`,
    });
    const env = { ...place.env, NODE: anvil.url, RULES: join(place.cwd, 'rules.yaml') };
    return { env, run: (...args: string[]) => runHere(args, env, place.cwd) };
  }

  const lineOf = (id: string, text: string) =>
    text.split('\n').find((line) => line.startsWith(`Rule ${id}:`)) ?? '';

  it('are found out by a check, whoever their other events name', async () => {
    const { stdout } = await placeOf('', ['Wraps', 'Blesses', 'Both', 'Halves', 'Gone']).run(
      'rules',
      'check',
      'rules.yaml',
    );
    for (const id of ['wraps', 'blesses', 'both', 'halves']) {
      expect(lineOf(id, stdout)).toContain('use "by: balance"');
    }
    // Of what is burned, the contract's own figures don't matter.
    expect(lineOf('gone', stdout)).not.toContain('by: balance');
    const { stdout: asked } = await placeOf(', by: balance', [
      'Wraps',
      'Blesses',
      'Halves',
      'Lone',
    ]).run('rules', 'check', 'rules.yaml');
    // Nobody but c is named by an event that isn't known alone.
    const unnamed = `${played.wallets.c} got some`;
    expect(asked.match(/0x\w+ got some/g)).toEqual([unnamed, unnamed]);
    for (const id of ['blesses', 'lone']) expect(lineOf(id, asked)).toContain(unnamed);
  });

  it('are recognized by their first logs if the newest are plain transfers', async () => {
    const rule = (id: string, how: string) =>
      `  - {id: ${id}, hold: {source: eth, erc721: "${played.tokens.Early}", min: 1, since: 0${how}}, give: {type: held, points: 1}}\n`;
    const place = workplace({
      'rules.yaml': `fathom: 1
name: tokens
version: 1
sources:
  eth: {chain: "eip155:31337", rpc: [NODE]}
rules:
${rule('plain', '')}${rule('wide', ', by: events')}`,
    });
    const { stdout } = await place.runHere(['rules', 'check', 'rules.yaml'], { NODE: anvil.url });
    expect(lineOf('plain', stdout)).toMatch(/20 of its newest 20 .* add "by: events"/);
    expect(lineOf('wide', stdout)).not.toContain('by:');
  });

  it('pay by balance whomever a known event names, and others than the one untold', async () => {
    const { env, run } = placeOf(', by: balance', NAMES);
    const service = await serveHere(env);
    onTestFinished(() => service.stop());
    const scoreOf = async (address: string) =>
      ((await (await fetch(`${service.url}/v1/reputation/${address}`)).json()) as { score: number })
        .score;
    const { a, b, c } = played.wallets;
    const scores = async () => ({ a: await scoreOf(a), b: await scoreOf(b), c: await scoreOf(c) });
    await vi.waitFor(
      async () =>
        expect(await scores()).toEqual({ a: 3 * 111_111, b: 2 * 110_111, c: 3 * 111_101 }),
      { timeout: patienceMs(100_000), interval: 200 },
    );
    const { stdout } = await run('sources');
    expect(stdout).not.toContain('gives no points');
    expect(await run('evidence', 'export', 'odd.ndjson.gz')).toMatchObject({ code: 0 });
    const verified = await run('evidence', 'verify', 'odd.ndjson.gz', '--against-chain', '100%');
    expect(verified).toMatchObject({ code: 0, stderr: expect.not.stringContaining("can't") });
  });
});
