import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { wallSeconds } from '#base/time/clock';
import type { Store } from '#storage/store';
import { openApi, type TestApi } from '../../support/api.ts';
import { ETH, ETH_UNSEEN } from '../../support/api-source.ts';
import { type InstalledClient, installClient } from '../../support/client-package.ts';
import { openMemoryStore } from '../../support/empty-store.ts';
import { isThere, LANGUAGES, programsOf } from '../../support/guide-programs.ts';
import { addressOf } from '../../support/import-lines.ts';
import { activityOf, batchOf, writeTo } from '../../support/ledger.ts';
import { patienceMs } from '../../support/patience.ts';
import { refreshed } from '../../support/refreshed.ts';

/** Programs of the guides on an instance whose oldest changes are gone, as on any that is a month old. */

/** More than a page of the leaderboard. */
const WALLETS = 700;

const run = promisify(execFile);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const walletOf = (n: number) => addressOf('ethereum', n);

let store: Store;
let api: TestApi;
let client: InstalledClient;
let programs: ReadonlyMap<string, string>;
let imports = 0;
beforeAll(async () => {
  store = openMemoryStore();
  for (let n = 0; n < WALLETS; n += 100) await give(range(n, n + 100), 1_000);
  while (await store.pruneChanges({ age: 1e9, count: 150 }, wallSeconds()));
  api = await openApi({ source: await store.openSource() });
  programs = await programsOf(api);
  client = await installClient();
});
afterAll(async () => {
  await api.close();
  await store.close();
  client.remove();
});

async function give(wallets: readonly number[], points: number): Promise<void> {
  imports += 1;
  const activities = wallets.map((n) => {
    const wallet = { chain: 'ethereum' as const, address: walletOf(n) };
    return activityOf(wallet, `${imports.toString(32)}v${n.toString(32)}v`, { points });
  });
  await writeTo(store, batchOf({ activities }));
  await refreshed(store);
}

/** Gives a wallet a point again and again, for programs that tell of changes. */
function keepGiving(n: number): void {
  let isOver = false;
  const ended = (async () => {
    while (!isOver) {
      await give([n], 1);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  onTestFinished(() => {
    isOver = true;
    return ended;
  });
}

/** A program in a folder of its own, where the client is installed. */
function folderWith(file: string, code: string): string {
  const folder = mkdtempSync(join(client.folder, 'pruned-'));
  writeFileSync(join(folder, file), code);
  return folder;
}

/** Runs a program without an end until its output matches. */
async function outputUntil(file: string, code: string, command: string[], words: RegExp) {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, file], { cwd: folderWith(file, code), detached: true });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await exited;
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  await expect.poll(() => text, { timeout: patienceMs() }).toMatch(words);
  return text;
}

it.each(['JavaScript', 'Python', 'Go'].filter(isThere))(
  'A guide gates by tier in %s',
  async (name) => {
    const { file, command } = LANGUAGES[name] ?? { file: '', command: [] };
    const [program = '', ...args] = command;
    await give([9], 5_000);
    const cwd = folderWith(file, programs.get(`gate ${name}`) ?? '');
    const answer = async (address: string) =>
      (await run(program, [...args, file, address], { cwd })).stdout;
    expect(await answer(walletOf(9))).toMatch(/^true/i);
    expect(await answer(walletOf(3))).toMatch(/^false/i);
    expect(await answer(ETH_UNSEEN)).toMatch(/^false/i);
  },
);

it.runIf(isThere('Python'))(
  'The guide’s copy in Python takes all wallets, then what has changed',
  async () => {
    const cwd = folderWith('wallet_copy.py', programs.get('copy Python') ?? '');
    const copy = async () => (await run('python3', ['wallet_copy.py'], { cwd })).stdout;
    const kept = () => JSON.parse(readFileSync(join(cwd, 'copy.json'), 'utf8'));
    const all = new RegExp(`^${WALLETS} wallets, up to`);
    expect(await copy()).toMatch(all);
    const before = kept().scores[walletOf(3)];
    await give([3], 50);
    expect(await copy()).toMatch(all);
    expect(kept().scores[walletOf(3)]).toBe(before + 50);
    expect(kept().scores[walletOf(WALLETS - 1)]).toBe(1_000);

    // Its cursor is gone, as after a restored backup: it begins again with the leaderboard.
    const lost = { after: '1-000000000000', scores: { [ETH_UNSEEN]: 1 } };
    writeFileSync(join(cwd, 'copy.json'), JSON.stringify(lost));
    expect(await copy()).toMatch(all);
    expect(kept().scores[ETH_UNSEEN]).toBeUndefined();
  },
);

it.runIf(isThere('Python'))(
  'The guide’s copy in Python drops a wallet that new rules left without activity',
  async () => {
    const users = [
      { address: ETH, score: 5 },
      { address: ETH_UNSEEN, score: 7 },
    ];
    const entries = [
      { cursor: '2-b-1', rules: { name: 'new', version: 1, hash: '' } },
      { cursor: '2-b-2', address: ETH, score: 0, previousScore: 5, noActivity: true },
    ];
    const answers: Record<string, object> = {
      '/v1/changes?limit=1': { changes: [], next: '1-a', hasMore: false },
      '/v1/leaderboard?limit=500&offset=0': { leaderboard: users, total: 2 },
      '/v1/changes?limit=1000&after=1-a': { changes: entries, next: '2-b', hasMore: false },
    };
    const server = createServer(({ url = '' }, response) => {
      response.setHeader('Reputation-Cursor', '1-a');
      response.end(JSON.stringify(answers[url]));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const program = programs.get('copy Python')?.replaceAll(api.url, `http://127.0.0.1:${port}`);
    const cwd = folderWith('wallet_copy.py', program ?? '');
    const { stdout } = await run('python3', ['wallet_copy.py'], { cwd });
    expect(stdout.trim()).toBe('1 wallets, up to 2-b');
  },
);

it('A guide copies all wallets in JavaScript', async () => {
  // For lagging replicas, which this instance doesn't have, it would wait.
  const code = programs.get('copy JavaScript')?.replace("' }));", "' }), { settle: 0 });") ?? '';
  expect(code).toContain('settle: 0');
  keepGiving(5);
  const text = await outputUntil('copy.mjs', code, [process.execPath], /wallets, up to/);
  expect(text).toMatch(new RegExp(`^${WALLETS} wallets, up to`));
});

it('A guide follows with curl from now on', async () => {
  keepGiving(6);
  const text = await outputUntil('copy.sh', programs.get('copy curl') ?? '', ['sh'], /}\n/);
  expect(text).toContain('event: change');
  expect(text).toContain(walletOf(6));
  expect(text).not.toContain(walletOf(WALLETS - 1));
});

it('The programs of integrate.md run', async () => {
  const text = readFileSync(new URL('../../../docs/integrate.md', import.meta.url), 'utf8');
  const whole = [...text.matchAll(/```js\n(import \{ Fathom.*?)```/gs)].map(([, code]) => code);
  expect(whole).toHaveLength(1);
  const code = (whole[0] ?? '')
    .replaceAll('http://127.0.0.1:8080', api.url)
    .replace(/0x\w{40}/, walletOf(3));
  const cwd = folderWith('gate.mjs', code);
  expect((await run(process.execPath, ['gate.mjs'], { cwd })).stdout).toBe('Refuse access.\n');
});

it.runIf(isThere('Python'))(
  "The guides' programs take no name of Python's own modules, which they would replace",
  async () => {
    const names = [...programs]
      .filter(([id]) => id.endsWith(' Python'))
      .map(([, code]) => /^# (\w+)\.py/.exec(code)?.[1] ?? '');
    expect(names).not.toContain('');
    const script = 'import sys; print(*sys.stdlib_module_names)';
    const { stdout } = await run('python3', ['-c', script]);
    const taken = new Set(stdout.trim().split(' '));
    expect(names.filter((name) => taken.has(name))).toEqual([]);
  },
);
