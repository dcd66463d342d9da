import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../bench/servers/free-port.ts';
import { untilPasses } from '../support/eventually.ts';
import { type ChainLog, EvmChain, openChainNode, word } from '../support/evm-chain.ts';
import { runCli, runHere, workplace } from '../support/import-cli.ts';
import { serveHere } from '../support/serve-here.ts';

const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const HOLDER = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';

const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: holder
    hold: {source: eth, erc20: ${TOKEN}, min: 100, since: 1}
    give: {type: holding, points: 3}
`;

const minted: ChainLog = {
  ...{ block: 10, address: TOKEN.toLowerCase(), data: `0x${word(500)}` },
  topics: [TRANSFER, `0x${word(0)}`, `0x${word(HOLDER)}`],
};

it('Checking again lets a rule pay after a node gave wrong balances', async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, 'rules.yaml'), RULES);
  // Blocks of 12 seconds: three full days.
  const node = await openChainNode(new EvmChain(30_000, [minted]));
  node.balances.set(HOLDER, 7n);
  const settings = {
    ...{ NODE: String(node.url), RULES: join(place.cwd, 'rules.yaml') },
    METRICS_PORT: String(await freePort()),
  };
  const env = { ...place.env, ...settings };
  const service = await serveHere(env);
  onTestFinished(() => service.stop());
  const run = (...args: string[]) => runHere(args, env, place.cwd);
  const ready = async () => await (await fetch(`${service.url}/readyz`)).text();
  const score = async () => {
    const response = await fetch(`${service.url}/v1/reputation/${HOLDER}`);
    return ((await response.json()) as { score?: number }).score;
  };

  await untilPasses(async () =>
    expect(await ready()).toContain('rules about balances that give no points'),
  );
  const why =
    /ule holder gives no points: \S+ has 7 by the chain and 500 by its events, .* If a node was wrong, run "fathom sources check-again eth"\./;
  expect((await run('sources')).stdout).toMatch(why);
  const doctor = await run('doctor');
  expect(doctor.stdout).toMatch(why);
  expect(doctor.code).toBe(1);
  expect(service.output()).toMatch(/gives no points.*fathom sources check-again eth/);

  const unknown = await run('sources', 'check-again', 'gno');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Sources: eth.') });
  node.balances.set(HOLDER, 500n);
  expect(await score()).toBeUndefined();
  const checkAgain = ['sources', 'check-again', 'eth'];
  const { code, stdout } = await runCli(checkAgain, { cwd: place.cwd, env });
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^eth: hold erc20 .* \(rule holder\)\n$/),
  });
  await untilPasses(async () => expect(await score()).toBe(9));
  await untilPasses(async () => expect(await ready()).not.toContain('give no points'));
  expect((await run(...checkAgain)).stdout).toBe(
    "All balances of eth that were compared are the chain's own.\n",
  );
});
