import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from '../bench/servers/postgres/cluster.ts';
import { TelegramStandIn } from '../bench/servers/telegram/stand-in.ts';
import { hoursAgo } from './support/chain-times.ts';
import { EvmChain, openChainNode, word } from './support/evm-chain.ts';
import { runCli, temporaryFolder } from './support/import-cli.ts';
import { patienceMs } from './support/patience.ts';
import { createMigratedDatabase } from './support/postgres/migrated.ts';
import { type Service, startService } from './support/service.ts';

const LONG = { timeout: patienceMs(60_000), interval: 200 };
const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const WALLET = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const ruleOf = (source: string) => `  - id: of-${source}
    on: {source: ${source}, contract: ${CONTRACT}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}
    wallet: to
    give: {type: vote, points: 1}
`;
const RULES = `fathom: 1
name: test
version: 1
sources:
  one: {chain: "eip155:1", rpc: [NODE_ONE]}
  two: {chain: "eip155:10", rpc: [NODE_TWO]}
rules:
${ruleOf('one')}${ruleOf('two')}`;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

const aheadBy = (seconds: number) =>
  `const now = Date.now; Date.now = () => now() + ${seconds * 1000}`;

async function start(env: Record<string, string>, nodeArguments?: string[]): Promise<Service> {
  const service = await startService(env, nodeArguments);
  onTestFinished(async () => void (await service.stop()));
  return service;
}

interface Ready {
  readonly code: number;
  readonly checks: Record<string, { ok: boolean; detail: string }>;
}

async function readyOf({ url }: Service): Promise<Ready> {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, ...((await response.json()) as Pick<Ready, 'checks'>) };
}

it("A replica with other tiers, whose machine's clock is an hour ahead, says both in readyz, log and doctor, and serves on", async () => {
  const env = { DATABASE_URL: await createMigratedDatabase(cluster) };
  const first = await start(env);
  const TIERS = 'titan=8000,whale=4000,shark=2000,dolphin=500';
  const nodeArguments = [`--import=data:text/javascript,${aheadBy(3_600)}`];
  const odd = await start({ ...env, TIERS }, nodeArguments);
  await expect
    .poll(async () => (await readyOf(odd)).checks.settings, LONG)
    .toEqual({ ok: false, detail: 'differ from those of the other replicas: TIERS' });
  const fault = "this machine's clock is 60 min ahead of the database's";
  await expect
    .poll(async () => (await readyOf(odd)).checks.clock, LONG)
    .toEqual({ ok: false, detail: expect.stringContaining(`${fault}; until it's right`) });
  expect((await readyOf(odd)).code).toBe(200);
  expect(odd.output().match(/settings differ from those/g)).toHaveLength(1);
  expect(odd.output().split(`${fault}: set it`)).toHaveLength(2);
  const { checks } = await readyOf(first);
  expect([checks.settings, checks.clock]).toEqual([undefined, undefined]);
  const place = { cwd: temporaryFolder(), env };
  expect((await runCli(['doctor'], { ...place, nodeArguments })).stdout).toMatch(
    /warn +clock +this machine's clock is 60 min ahead of/,
  );
  const { stdout } = await runCli(['doctor'], place);
  expect(stdout).toMatch(/warn +settings +the replica that started at \S+ differs .* in TIERS/);
  expect(stdout).toMatch(/ok +replicas +2 live/);
  expect(stdout).not.toContain(' clock ');
});

it("A replica whose machine's clock is days ahead hands rules over to one whose clock is right, as their daily steps can't be taken back", async () => {
  const url = await createMigratedDatabase(cluster);
  const file = join(temporaryFolder(), 'rules.yaml');
  writeFileSync(
    file,
    'fathom: 1\nname: test\nversion: 1\nrules:\n  - {id: a, on: {import: a}, give: {type: a, points: 1}}\n',
  );
  const env = { DATABASE_URL: url, RULES: file };
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  onTestFinished(() => database.end());
  const holder = async () => {
    const text = "SELECT replica FROM fathom.claim WHERE name = 'rules'";
    return (await database.query(text)).rows[0]?.replica;
  };
  await start(env, [`--import=data:text/javascript,${aheadBy(3 * 86_400)}`]);
  await expect.poll(holder, LONG).toBeDefined();
  const first = await holder();
  await start(env);
  await expect.poll(async () => [undefined, first].includes(await holder()), LONG).toBe(false);
});

it('A replica with other settings or another bot leaves the chats to the others, even those that it had', async () => {
  const telegram = await TelegramStandIn.open();
  onTestFinished(() => telegram.close());
  const env = {
    DATABASE_URL: await createMigratedDatabase(cluster),
    TELEGRAM_TOKEN: telegram.token,
    TELEGRAM_API_URL: telegram.apiUrl,
  };
  const told = async (service: Service) => (await readyOf(service)).checks.telegram?.detail;
  const TIERS = 'titan=8000,whale=4000,shark=2000,dolphin=500';
  const odd = await start({ ...env, TIERS });
  await expect.poll(() => told(odd), LONG).toMatch(/^polling as/);
  const [one, two] = [await start(env), await start(env)];
  await expect.poll(() => told(odd), LONG).toBe('another replica polls for updates');
  await expect
    .poll(async () => [await told(one), await told(two)], LONG)
    .toContainEqual(expect.stringMatching(/^polling as/));
  const another = await start({ ...env, TELEGRAM_TOKEN: `9${telegram.token}` });
  await expect
    .poll(async () => (await readyOf(another)).checks.settings, LONG)
    .toMatchObject({ detail: expect.stringMatching(/: TELEGRAM_TOKEN$/) });
  // One that serves the API alone has no bot to differ in.
  const alone = await start({ DATABASE_URL: env.DATABASE_URL });
  await expect.poll(async () => (await readyOf(alone)).checks.data?.ok, LONG).toBe(true);
  expect((await readyOf(alone)).checks.settings).toBeUndefined();
});

it('A replica without the variables of sources is alone in trouble, and says each once', async () => {
  const chain = (id: number) => {
    const logs = [1, 2].map((block) => ({
      ...{ block, address: CONTRACT.toLowerCase(), data: `0x${word(1)}` },
      topics: [TRANSFER, `0x${word(0)}`, `0x${word(WALLET)}`],
    }));
    const made = new EvmChain(200, logs);
    made.genesis = hoursAgo(8);
    Object.assign(made, { id });
    return openChainNode(made);
  };
  const [one, two] = [await chain(1), await chain(10)];
  onTestFinished(async () => {
    await one.close();
    await two.close();
  });
  const file = join(temporaryFolder(), 'rules.yaml');
  writeFileSync(file, RULES);
  const env = { DATABASE_URL: await createMigratedDatabase(cluster), RULES: file };
  const whole = await start({ ...env, NODE_ONE: one.url.href, NODE_TWO: two.url.href });
  const dataOf = async ({ url }: Service) =>
    (await fetch(`${url}/v1/stats/global`)).headers.get('fathom-data');
  await expect.poll(async () => (await readyOf(whole)).checks.sources?.ok, LONG).toBe(true);
  await expect.poll(() => dataOf(whole), LONG).toBeNull();
  const without = await start(env);
  const said = () =>
    without
      .output()
      .match(/Can't read (one|two)/g)
      ?.toSorted();
  await expect.poll(said, LONG).toEqual(["Can't read one", "Can't read two"]);
  await expect.poll(() => dataOf(without), LONG).toBeNull();
  expect(await dataOf(whole)).toBeNull();
  // Readiness looks at sources on its own.
  await expect.poll(async () => (await readyOf(without)).checks.sources?.ok, LONG).toBe(false);
  expect((await readyOf(whole)).checks.sources?.ok).toBe(true);
  // Sources are looked at each second.
  const looked = () => without.output().match(/Can't read (one|two)/g)?.length;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(looked()).toBe(2);
});
