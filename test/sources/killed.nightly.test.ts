import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../bench/servers/free-port.ts';
import { hoursAgo, nearestMidnight } from '../support/chain-times.ts';
import { untilPasses } from '../support/eventually.ts';
import { type ChainNode, EvmChain, openChainNode, word } from '../support/evm-chain.ts';
import { useDatabase } from '../support/postgres/database.ts';
import { EFFORT, SEED } from '../support/random.ts';
import { type Service, startService } from '../support/service.ts';

const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const WALLET = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const HEAD = 2_000;
const VOTES = 40;
/** The width that the node answers, and the height from which it lets its clients wait. */
const WIDEST = 100;
const HELD_FROM = 1_000;
/** The most concurrent ranges. */
const AT_ONCE = 4;

const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: vote
    on: {source: eth, contract: ${CONTRACT}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}
    wallet: to
    give: {type: vote, points: 1}
`;
/** At whose ends a process is killed: by day at two of the four, by seed. */
const KILLED_ON = EFFORT === 1 ? [1 + (SEED % 2), 3 + (SEED % 2)] : [1, 2, 3, 4];
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A chain that is read up to the middle, where its node stops responding. */
async function heldNode() {
  const logs = Array.from({ length: VOTES }, (_, i) => ({
    ...{ block: 1 + i * (HEAD / VOTES), address: CONTRACT.toLowerCase(), data: `0x${word(1)}` },
    topics: [TRANSFER, `0x${word(0)}`, `0x${word(WALLET)}`],
  }));
  const chain = new EvmChain(HEAD, logs);
  chain.genesis = hoursAgo(8);
  const node = await openChainNode(chain);
  const held = new Set<number>();
  const refusal = () => ({ code: -32602, message: 'block range is too wide' });
  node.does = {
    ...{ widest: WIDEST, refusal },
    instead(_, calls) {
      const [range] = calls.flatMap(({ method, params }) =>
        method === 'eth_getLogs' ? (params as { fromBlock: string }[]) : [],
      );
      if (range === undefined || Number(range.fromBlock) <= HELD_FROM) return false;
      held.add(Number(range.fromBlock));
      return true;
    },
  };
  const letGo = () => {
    node.does = { widest: WIDEST, refusal };
  };
  return { node, held, letGo };
}

function serving(
  node: ChainNode,
  databaseUrl: string,
  env: Record<string, string> = {},
  rules = RULES,
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'rules.yaml'), rules);
  return startService({
    ...{ DATABASE_URL: databaseUrl, RULES: join(folder, 'rules.yaml'), NODE: String(node.url) },
    RATE_LIMIT_PUBLIC: '100000',
    ...env,
  });
}

async function kill({ child }: Service): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function score({ url }: Service): Promise<number | undefined> {
  const answer = await fetch(`${url}/v1/reputation/${WALLET}`);
  return ((await answer.json()) as { score?: number }).score;
}

const firstBlocks = (node: ChainNode) => new Set(node.ranges.map(([from]) => from));

it('A source reads after a kill -9 only those ranges again that were under way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-killed-db-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = `sqlite:${join(folder, 'fathom.db')}`;
  const { node, held, letGo } = await heldNode();
  const first = await serving(node, database);
  onTestFinished(async () => void (await first.stop()));
  await untilPasses(() => expect(held.size).toBeGreaterThan(0));
  // What was read is written, then nothing more happens.
  await untilPasses(async () => expect(await score(first)).toBeGreaterThanOrEqual(HELD_FROM / 50));
  await kill(first);
  const before = firstBlocks(node);
  node.ranges.length = 0;
  letGo();
  const second = await serving(node, database);
  onTestFinished(async () => void (await second.stop()));
  await untilPasses(async () => expect(await score(second)).toBe(VOTES));
  const again = [...firstBlocks(node)].filter((from) => before.has(from));
  expect(again.length).toBeLessThanOrEqual(AT_ONCE);
  expect(Math.min(...firstBlocks(node))).toBeGreaterThan(HELD_FROM - AT_ONCE * WIDEST);
});

const DAY = 7_200;
const ASKED = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: held, hold: {source: eth, erc20: ${CONTRACT}, min: 100, since: 1, by: balance}, give: {type: held, points: 1}}
`;

it('The reader asks no day again that was written, after a kill -9 at any of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-killed-db-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = `sqlite:${join(folder, 'fathom.db')}`;
  const topics = [TRANSFER, `0x${word(0)}`, `0x${word(WALLET)}`];
  const log = { block: 1, address: CONTRACT.toLowerCase(), data: `0x${word(1)}`, topics };
  const chain = new EvmChain(Math.round(5.2 * DAY), [log]);
  chain.genesis = nearestMidnight() - 5 * 86_400;
  // Enough, except on the third day.
  chain.balanceOf = (_, block) => (Math.floor(block / DAY) === 2 ? 50n : BigInt(100 + block));
  const node = await openChainNode(chain);
  const asked: number[] = [];
  let heldAt = 0;
  node.does.instead = (_, calls) => {
    const at = calls.find(({ method }) => method === 'eth_call')?.params[1];
    if (at === undefined) return false;
    const block = Number(at);
    asked.push(block);
    // The answer never comes.
    return heldAt > 0 && block >= heldAt;
  };
  for (const day of KILLED_ON) {
    const before = heldAt;
    heldAt = day * DAY - 1;
    asked.length = 0;
    const killed = await serving(node, database, {}, ASKED);
    onTestFinished(async () => void (await killed.stop()));
    await untilPasses(() => expect(asked).toContain(heldAt));
    await kill(killed);
    // The day that the last process waited for wasn't written; those before it were.
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(Math.max(0, before - DAY));
  }
  heldAt = 0;
  const last = await serving(node, database, {}, ASKED);
  onTestFinished(async () => void (await last.stop()));
  // Of the days after the first: not the third one, which ends with too little, nor the fourth.
  await untilPasses(async () => expect(await score(last)).toBe(2));
});

const database = useDatabase();

it('A source is taken over by another replica when the one that reads is killed', async () => {
  const { node, held, letGo } = await heldNode();
  const ports = [await freePort(), await freePort()];
  const replicas = await Promise.all(
    ports.map((port) => serving(node, database.url, { METRICS_PORT: String(port) })),
  );
  onTestFinished(async () => void (await Promise.all(replicas.map((each) => each.stop()))));
  await untilPasses(() => expect(held.size).toBeGreaterThan(0));
  const stateOf = async ({ url }: Service) => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: { sources?: { detail: string } } };
    return checks.sources?.detail.split(' ')[1];
  };
  await untilPasses(async () => {
    const states = await Promise.all(replicas.map(stateOf));
    expect(states.toSorted()).toEqual(['reading', 'standby']);
  });
  // Reading is a part of each of them, in a thread, and no replica of its own.
  await untilPasses(async () => {
    for (const port of ports) {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(metrics).toMatch(/^fathom_replicas 2$/m);
      expect(metrics).toMatch(/^fathom_scoring_restarts_total 0$/m);
    }
  });
  const states = await Promise.all(replicas.map(stateOf));
  const reader = replicas[states.indexOf('reading')] as Service;
  const other = replicas[states.indexOf('standby')] as Service;
  letGo();
  await kill(reader);
  await untilPasses(async () => expect(await score(other)).toBe(VOTES));
});
