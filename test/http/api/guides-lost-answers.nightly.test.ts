import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openApi, type TestApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';
import { isThere, LANGUAGES, programsOf } from '../../support/guide-programs.ts';
import { patienceMs } from '../../support/patience.ts';
import { byDayOne } from '../../support/random.ts';

/** Programs of the guides where a proxy answers in place of Fathom, or nobody does. */

const run = promisify(execFile);

let api: TestApi;
let programs: ReadonlyMap<string, string>;
beforeAll(async () => {
  api = await openApi();
  programs = await programsOf(api);
});
afterAll(() => api.close());

/** A server in front of the API; `fault` may answer in its place. */
async function behind(fault: (path: string, response: ServerResponse) => boolean): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (fault(path, response)) return;
    const answer = await api.get(path);
    const kept = [...answer.headers].filter(([name]) => name.startsWith('reputation-'));
    response.writeHead(answer.status, Object.fromEntries(kept));
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a program of the guides prints. */
async function output(id: string, name: string, url: string, ...args: string[]): Promise<string> {
  return outputOf(programs.get(`${id} ${name}`) ?? '', name, url, ...args);
}

async function outputOf(
  code: string,
  name: string,
  url: string,
  ...args: string[]
): Promise<string> {
  const { file, command } = LANGUAGES[name] ?? { file: '', command: [] };
  const [program = '', ...first] = command;
  const cwd = mkdtempSync(join(tmpdir(), 'fathom-guide-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, file), code.replaceAll(api.url, url));
  return (await run(program, [...first, file, ...args], { cwd, timeout: patienceMs() })).stdout;
}

const FAULTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a proxy answers with a page of its own': (response) =>
    response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  'a page comes in place of the answer': (response) => response.end('<h1>Please log in</h1>'),
  'the answer breaks off': (response) => {
    response.writeHead(200, { 'Content-Length': 500, 'Reputation-Status': 'fresh' });
    response.write('{"address"', () => response.destroy());
  },
  'nobody answers': (response) => response.destroy(),
};

/** Answers in the API's form that aren't its own. */
const STRANGE: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  'another service answers': [200, { status: 'maintenance' }],
  'it has a tier that nobody knows yet': [200, { tier: 'Leviathan', score: 1e6 }],
  'a list comes': [200, []],
  'nothing comes': [200, null],
  'an error has a tier': [502, { tier: 'Shrimp' }],
  'an error speaks of no wallet': [503, { code: 'wallet-not-found' }],
};

// The same program in another language, whose everyday answers are tried in each.
for (const name of byDayOne(['JavaScript', 'Python'].filter(isThere))) {
  it.each(Object.keys(FAULTS))(`A gate in ${name} says unknown if %s`, async (fault) => {
    const url = await behind((_, response) => {
      FAULTS[fault]?.(response);
      return true;
    });
    expect(await output('gate', name, url, ETH)).toMatch(/^(?:undefined|None)\s*$/);
  });

  it.each(Object.keys(STRANGE))(`A gate in ${name} says unknown where %s`, async (what) => {
    const [status = 0, body] = STRANGE[what] ?? [];
    const url = await behind((_, response) => {
      response.writeHead(status, { 'Reputation-Status': 'fresh' }).end(JSON.stringify(body));
      return true;
    });
    expect(await output('gate', name, url, ETH)).toMatch(/^(?:undefined|None)\s*$/);
  });
}

it.runIf(isThere('Python'))('A gate in Python says unknown if an answer never ends', async () => {
  const url = await behind((_, response) => {
    response.writeHead(200, { 'Reputation-Status': 'fresh' });
    // Often enough for each of its reads.
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
    return true;
  });
  const patient = programs.get('gate Python') ?? '';
  const code = patient.replace('.join(10)', '.join(0.2)');
  expect(await outputOf(code, 'Python', url, ETH)).toMatch(/^None\s*$/);
});

it.runIf(isThere('Python'))('A copy in Python goes on after lost answers', async () => {
  const lost = new Set(Object.keys(FAULTS));
  const url = await behind((_, response) => {
    const [next] = lost;
    if (next === undefined) return false;
    lost.delete(next);
    FAULTS[next]?.(response);
    return true;
  });
  expect(await output('copy', 'Python', url)).toMatch(/^\d+ wallets, up to /);
});

it.runIf(isThere('Python'))(
  'A copy in Python begins again where a backup was restored',
  async () => {
    // What was told before the restore is newer than all that there is afterwards.
    let told = '9000-000000000000';
    const url = await behind((path, response) => {
      if (!path.endsWith('/changes?limit=1') || told === '') return false;
      response.end(JSON.stringify({ changes: [], next: told, hasMore: false }));
      told = '';
      return true;
    });
    expect(await output('copy', 'Python', url)).toMatch(/^\d+ wallets, up to (?!9000)/);
  },
);

it.runIf(isThere('Python'))('A copy in Python reads a Retry-After that is a date', async () => {
  let isAway = true;
  const url = await behind((_, response) => {
    if (!isAway) return false;
    isAway = false;
    response.writeHead(503, { 'Retry-After': 'Sun, 06 Nov 1994 08:49:37 GMT' }).end();
    return true;
  });
  expect(await output('copy', 'Python', url)).toMatch(/^\d+ wallets, up to /);
});
