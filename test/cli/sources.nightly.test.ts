import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toEventSelector } from 'viem';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../bench/servers/free-port.ts';
import { EvmChain, NODE_SECRET, openChainNode, word } from '../support/evm-chain.ts';
import { runCli, runHere, workplace } from '../support/import-cli.ts';
import { patienceMs } from '../support/patience.ts';
import { serveHere } from '../support/serve-here.ts';
import { openHub } from '../support/sources/snapshot-hub.ts';

const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE_ONE, NODE_TWO]}
  unused: {chain: "eip155:10", rpc: [NODE_THREE]}
rules:
  - id: vote
    on: {source: eth, contract: 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed, event: "Voted(address voter)", since: 1}
    wallet: voter
    give: {type: vote, points: 50}
`;

it('fathom sources tries each node of a source, and shows only its host', async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, 'rules.yaml'), RULES);
  const one = await openChainNode(new EvmChain(4_000));
  const other = await openChainNode(new EvmChain(4_000, [], 10));
  const env = {
    ...{ ...place.env, RULES: 'rules.yaml', PORT: '0', METRICS_PORT: '0' },
    ...{ NODE_ONE: String(one.url), NODE_TWO: String(other.url) },
  };
  const doctor = await runCli(['doctor'], { cwd: place.cwd, env });
  expect(doctor.stdout).toMatch(
    /^warn +source eth +NODE_ONE \(127[^)]+\) is of eip155:1; its newest final height is 4000, from \d+ days ago/m,
  );
  expect(doctor.stdout).toContain(`NODE_TWO (${other.host}) is of chain 10, not of 1.`);
  expect(doctor.code).toBe(1);
  const sources = await runCli(['sources'], { cwd: place.cwd, env });
  expect(sources.stdout).toMatch(/^eth \(eip155:1\): nothing is read yet, the end is 4000$/m);
  expect(sources.stdout).toContain(`NODE_ONE  ${one.host}  at 4000`);
  expect(sources.stdout).toContain(`NODE_TWO  ${other.host}  is of chain 10, not of 1.`);
  expect(sources.code).toBe(0);
  for (const { stdout, stderr } of [doctor, sources]) {
    expect(stdout + stderr).not.toContain(NODE_SECRET);
  }
});

it('fathom sources says that a node which is named twice checks nothing', async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, 'rules.yaml'), RULES);
  const node = String((await openChainNode(new EvmChain(4_000))).url);
  const env = { ...place.env, RULES: 'rules.yaml', NODE_ONE: node, NODE_TWO: `${node} ` };
  const words =
    "NODE_ONE and NODE_TWO are the same node of eth, so what it leaves out can't be noticed. Name one of another provider.";
  const doctor = await runHere(['doctor'], env, place.cwd);
  expect(doctor.stdout).toMatch(new RegExp(`^warn +source eth +${words}$`, 'm'));
  const sources = await runHere(['sources'], env, place.cwd);
  expect(sources.stdout).toContain(`  ${words}\n`);
  const service = await serveHere({ ...env, RULES: join(place.cwd, 'rules.yaml') });
  onTestFinished(() => service.stop());
  await vi.waitFor(() => expect(service.output()).toContain(words), patienceMs());
});

it('fathom rules check estimates how long the first reading takes, and exits by validity alone', async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, 'rules.yaml'), RULES);
  const chain = new EvmChain(4_000);
  const [one, other] = [await openChainNode(chain), await openChainNode(chain)];
  const refusal = () => ({ code: -32602, message: 'block range is too wide' });
  one.does = { widest: 100, refusal };
  const nodes = { NODE_ONE: String(one.url), NODE_TWO: String(other.url) };
  const check = () => place.runHere(['rules', 'check', 'rules.yaml'], nodes);
  // It reads for three seconds, in which a busy machine may read too little.
  const well = await vi.waitFor(async () => {
    const said = await check();
    const estimate =
      /^eth: blocks 1 to 4000 take about \d+ s to read, at \d+ a second\. (.*)$/m.exec(said.stdout);
    expect(estimate?.[1]).toMatch(
      // Never more than its limit.
      /^127\.0\.0\.1:\d+ answers for up to (?:[5-9]\d|100) at once\.$/,
    );
    return said;
  }, patienceMs());
  expect(well.stdout).toContain(
    'Rule vote: 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed has no code on',
  );
  expect(well.stdout + well.stderr).not.toContain(NODE_SECRET);
  other.does = { instead: (res) => Boolean(res.destroy()) };
  const away = await check();
  expect(away.stderr).toContain(
    "Note: eth can't be read now, so its first reading isn't estimated:",
  );
  expect([well.code, away.code]).toEqual([0, 0]);
});

it('fathom rules check says how the newest logs of a contract fit its rule', async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, 'rules.yaml'), RULES);
  const contract = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
  const topics = [toEventSelector('Voted(address)'), `0x${word(contract)}`];
  const logs = [10, 20, 3_000].map((block) => ({ block, address: contract, topics, data: '0x' }));
  const url = String((await openChainNode(new EvmChain(4_000, logs))).url);
  const { stdout, code } = await place.runHere(['rules', 'check', 'rules.yaml'], {
    ...{ NODE_ONE: url, NODE_TWO: url },
  });
  expect(stdout).toContain(
    'Rule vote: 0 of its newest 3 logs fit: is "voter" indexed in the contract?',
  );
  expect(code).toBe(0);
});

it('fathom sources says why a running service has stopped reading, and what it found at each node', async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, 'rules.yaml'), RULES);
  const chain = new EvmChain(200);
  const [one, other] = [await openChainNode(chain), await openChainNode(chain)];
  one.does = { widest: 10, refusal: () => ({ code: -32602, message: 'too wide' }) };
  const nodes = { NODE_ONE: String(one.url), NODE_TWO: String(other.url) };
  const rules = { RULES: join(place.cwd, 'rules.yaml') };
  const env = { ...place.env, ...nodes, ...rules, METRICS_PORT: String(await freePort()) };
  const service = await serveHere(env);
  onTestFinished(() => service.stop());
  const sources = () => runHere(['sources'], env);
  await vi.waitFor(
    async () => expect((await sources()).stdout).toMatch(/NODE_ONE .*, up to 1\d at once/),
    patienceMs(),
  );
  // A fork between two nodes' answers about one range would be a contradiction between them.
  await vi.waitFor(
    async () =>
      expect((await sources()).stdout).toMatch(/read to 200, the end is 200.*\n +Waiting/),
    patienceMs(),
  );
  // The next range starts behind a block that was read with another hash.
  chain.forkedAt = 0;
  chain.head += 10;
  await vi.waitFor(
    async () => expect((await sources()).stdout).toMatch(/^ {2}Stopped: Block \d+ was 0x/m),
    patienceMs(),
  );
  const doctor = await runHere(['doctor'], env, place.cwd);
  expect(doctor.stdout).toMatch(
    /^fail +source eth +the running service has stopped reading it: Block \d+ was 0x.+ give the source another name/m,
  );
  expect(doctor.code).toBe(1);
  const { stdout, stderr } = await sources();
  expect(stdout + stderr).not.toContain(NODE_SECRET);
  await service.stop();
  const unknown = await runHere(['doctor'], env, place.cwd);
  expect(unknown.stdout).toMatch(
    /^ok +sources +no service responds at 127\.0\.0\.1:\d+ \(METRICS_HOST/m,
  );
  const without = await sources();
  expect(without.stderr).toContain('so node details are unavailable');
  expect(without.stdout).not.toContain('Stopped');
});

it('fathom sources shows up to which date votes have been read', async () => {
  const place = workplace();
  const rules = `fathom: 1
name: test
version: 1
sources:
  snap: {chain: snapshot, hub: [HUB]}
rules:
  - {id: vote, on: {source: snap, space: reef.eth, since: 2020-09-01}, give: {type: vote, points: 20}}
`;
  writeFileSync(join(place.cwd, 'rules.yaml'), rules);
  const closed = { space: 'reef.eth', scores_state: 'final' };
  const hub = await openHub({ proposals: [{ ...closed, id: 'p', end: 1_600_000_000 }] });
  const env = { HUB: hub.url.href, RULES: 'rules.yaml', METRICS_PORT: '0' };
  const run = async (...args: string[]) => (await place.runHere(args, env)).stdout;
  expect(await run('sources')).toMatch(/the end is 2020-09-13T12:26:40Z\n/);
  // A space without votes isn't a hub that stands still.
  expect(await run('doctor')).toMatch(
    /^ok +source snap +HUB \(127[^)]+\) is a hub of Snapshot; .*2020-09-13T12:26:40Z/m,
  );
  expect(await run('rules', 'check', 'rules.yaml')).toMatch(
    /^snap: votes from 2020-09-01T00:00:00Z to 2020-09-13T12:26:40Z take about \d+ s to read\.$/m,
  );
});
