import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { LeaderboardPage } from '#reputation/api-records';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { CHAIN_CODES, CHAINS } from '#wallet/wallet';
import { type Cluster, startCluster } from '../../../bench/servers/postgres/cluster.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { importTexts } from '../../support/import-ledger.ts';
import {
  activityLine,
  addressOf,
  badgeLine,
  mixedLines,
  nameLine,
} from '../../support/import-lines.ts';
import { silentLog } from '../../support/log.ts';
import { hasRealData, REAL_DATA } from '../../support/real-data.ts';

/** Lines of the real data; the rest is more of the same. */
const REAL_LINES = 60_000;
/** How many wallets to compare lists of, spread over all. */
const SAMPLE = 150;

let cluster: Cluster;
let stores: Store[];

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

beforeEach(async () => {
  // Both stores must show the same creation times, so the clock stands still.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21) });
  const urls = ['sqlite::memory:', await cluster.createDatabase()];
  const options = { thresholds: DEFAULT_THRESHOLDS, log: silentLog };
  stores = await Promise.all(urls.map((url) => openStore(url, options)));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const store of stores) await store.close();
});

/** Imports the same lines into both, in batches, and serves both. */
async function serveBoth(lines: readonly string[], batchLines: number): Promise<TestApi[]> {
  const apis: TestApi[] = [];
  const results: unknown[] = [];
  for (const store of stores) {
    const { result, refused } = await importTexts(lines, store.openWriter(), { batchLines });
    results.push({ result, refused });
    apis.push(await testApi({ source: await store.openSource() }));
  }
  expect(results[1]).toEqual(results[0]);
  return apis;
}

async function expectSame(apis: readonly TestApi[], path: string): Promise<string> {
  const answers = await Promise.all(
    apis.map(async (api) => {
      const answer = await api.get(`/v1${path}`);
      // An error contains its request id, which always differs.
      const body = (await answer.text()).replace(/"requestId":"[^"]*"/, '');
      return { path, status: answer.status, body };
    }),
  );
  expect(answers[1]).toEqual(answers[0]);
  return answers[0]?.body ?? '';
}

/** Requests everything from both, for a sample of wallets. */
async function expectAllSame(apis: readonly TestApi[], names: readonly string[]): Promise<void> {
  await expectSame(apis, '/stats/global');
  const addresses: string[] = [];
  for (const chain of ['all', ...CHAIN_CODES]) {
    for (let offset = 0, total = 1; offset < total; offset += 500) {
      const path = `/leaderboard?chain=${chain}&limit=500&offset=${offset}`;
      const page = JSON.parse(await expectSame(apis, path)) as LeaderboardPage;
      total = page.total;
      if (chain === 'all') addresses.push(...page.leaderboard.map((entry) => entry.address));
    }
  }
  const step = Math.max(1, Math.floor(addresses.length / SAMPLE));
  const sample = addresses.filter((_, place) => place % step === 0);
  for (const address of [...sample, ...names]) {
    await expectSame(apis, `/reputation/${address}`);
    await expectSame(apis, `/badges/${address}`);
    for (const limit of [1, 7, 200]) await expectSame(apis, `/activity/${address}?limit=${limit}`);
  }
}

const AWKWARD = [
  String.raw`back\slash \N \. \t \\ \x41`,
  `"double" 'single' \`back\` $1 $$ ; -- DROP`,
  '🐳 👩‍👩‍👧‍👦 é é 漢字',
  'left\u200Fright\u202Eoverride\u2066isolate\u2069',
  '{"a":1,"b":[NULL]} {a,b} ,,,',
  '\u00A0\u2028\u2029\uFEFF\u00AD end',
  '%s %d _ ? :name @x \u{10FFFF}',
  'x'.repeat(1_000),
];

it('SQLite and Postgres return awkward texts and figures alike, byte for byte', async () => {
  const lines: unknown[] = [];
  for (const [number, text] of AWKWARD.entries()) {
    const name = text.slice(0, 90);
    lines.push(badgeLine(number, { name, description: text }));
    for (const chain of CHAINS) {
      lines.push(nameLine(chain, number, { displayName: name }));
      for (const points of [0, -7, 1_000_000_000, -1_000_000_000, 12]) {
        lines.push(activityLine(chain, number, { description: text, points }));
      }
      const earned = { badge: `badge-${number}`, source: `${text}` };
      lines.push(activityLine(chain, number, earned));
      lines.push(activityLine(chain, number, { ...earned, timestamp: '1999-12-31T23:59:60Z' }));
      lines.push(activityLine(chain, number, { ...earned, timestamp: '1970-01-01T00:00:00Z' }));
    }
  }
  lines.push(...mixedLines(3_000));
  // One wallet with more than a list shows, many at the same time, over several batches.
  for (let i = 0; i < 900; i++) {
    lines.push(
      activityLine('solana', 1, {
        description: `often ${i}`,
        source: `often:${i}`,
        timestamp: new Date(1_700_000_000_000 + (i % 50) * 1000).toISOString(),
      }),
    );
  }
  // Everything a second time, partly changed.
  lines.push(badgeLine(3, { name: 'Renamed' }), nameLine('solana', 2, { displayName: 'renewed' }));
  lines.push(...lines.slice(0, 500));
  const texts = lines.map((line) => JSON.stringify(line));
  const apis = await serveBoth(texts, 700);
  await expectAllSame(apis, [addressOf('solana', 1), addressOf('ethereum', 999_999)]);
});

it.runIf(hasRealData)('real data is the same from SQLite and Postgres, byte for byte', async () => {
  const lines: string[] = [];
  const file = createReadStream(REAL_DATA);
  const input = REAL_DATA.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  for await (const line of createInterface({ input })) {
    lines.push(line);
    if (lines.length === REAL_LINES) break;
  }
  file.destroy();
  const apis = await serveBoth(lines, 9_000);
  await expectAllSame(apis, []);
});
