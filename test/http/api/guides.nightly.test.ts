import { execFile, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openApi, type TestApi } from '../../support/api.ts';
import { ETH, ETH_UNSEEN } from '../../support/api-source.ts';
import { axeViolations } from '../../support/axe.ts';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from '../../support/browser.ts';
import { type InstalledClient, installClient } from '../../support/client-package.ts';
import { GUIDES, isThere, LANGUAGES, programsOf } from '../../support/guide-programs.ts';
import { EFFORT } from '../../support/random.ts';

const run = promisify(execFile);

let api: TestApi;
let client: InstalledClient;
let programs: ReadonlyMap<string, string>;
beforeAll(async () => {
  api = await openApi();
  client = await installClient();
  programs = await programsOf(api);
});
afterAll(async () => {
  await api.close();
  client.remove();
});

/** The command line of a guide's program. */
function commandOf(id: string, name: string, args: readonly string[]): [string, string[]] {
  const { file, command } = LANGUAGES[name] ?? { file: '', command: [] };
  const path = join(client.folder, `${id}-${file}`);
  writeFileSync(path, programs.get(`${id} ${name}`) ?? '');
  const [program = '', ...rest] = command;
  return [program, [...rest, path, ...args]];
}

async function output(id: string, name: string, ...args: string[]): Promise<string> {
  const [program, words] = commandOf(id, name, args);
  const { stdout } = await run(program, words, { cwd: client.folder });
  return stdout.trim();
}

it('The docs have each guide in its languages, with the addresses of this instance', () => {
  expect([...programs.keys()]).toEqual([
    ...['gate JavaScript', 'gate Python', 'gate Go', 'leaderboard HTML'],
    ...['copy JavaScript', 'copy Python', 'copy curl'],
    ...['webhooks JavaScript', 'webhooks Python', 'webhooks Go'],
  ]);
  expect(programs.get('gate Python')).toContain(`${api.url}/v1/reputation/`);
});

describe.each(['JavaScript', 'Python', 'Go'])('in %s', (name) => {
  const runIf = it.runIf(isThere(name));

  runIf('lets in who has the tier, and says where that is not known', async () => {
    const lower = (text: string) => text.toLowerCase();
    expect(lower(await output('gate', name, ETH))).toMatch(/^true/);
    expect(lower(await output('gate', name, ETH_UNSEEN))).toMatch(/^false/);
    onTestFinished(() => {
      Object.assign(api.source, { isStale: false, isPartial: false });
    });
    for (const [isStale, isPartial] of [
      [true, false],
      [false, true],
    ]) {
      Object.assign(api.source, { isStale, isPartial });
      for (const address of [ETH, ETH_UNSEEN]) {
        expect(lower(await output('gate', name, address))).toMatch(
          /^(undefined|none|false false)$/,
        );
      }
    }
  });

  runIf('takes a webhook that is signed, and no other', async () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const port = await freePort();
    const [program, words] = commandOf('webhooks', name, []);
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
    const child = spawn(program, words, { cwd: client.folder, env, detached: true });
    const { pid } = child;
    if (pid === undefined) throw new Error(`could not start ${program}`);
    onTestFinished(async () => {
      // Its group: what `go run` has compiled is a process of its own.
      process.kill(-pid, 'SIGKILL');
      await once(child, 'exit');
    });
    const bodyOf = (type: string, data: object) => JSON.stringify({ type, timestamp: '', data });
    const body = bodyOf('tier.changed', { address: ETH, tier: 'Whale' });
    const url = `http://127.0.0.1:${port}/`;
    await expect
      .poll(() => fetch(url, { method: 'POST' }).then((answer) => answer.status))
      .toBe(400);
    const headers = signed(secret, body);
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(204);
    const later = bodyOf('board.changed', { board: 1 });
    const sent = { method: 'POST', body: later, headers: signed(secret, later) };
    expect((await fetch(url, sent)).status).toBe(204);
    const other = signed(secret.replace('whsec_', 'whsec_AAAA'), body);
    expect((await fetch(url, { method: 'POST', body, headers: other })).status).toBe(400);
  });
});

function signed(secret: string, body: string): Record<string, string> {
  const time = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`msg_1.${time}.${body}`).digest('base64');
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${signature}`,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe.runIf(hasChromium)(`in a browser${NEEDS_CHROMIUM}`, () => {
  it('shows the leaderboard on a page of another origin', async () => {
    const { page, faults, close } = await openPage(await sharedBrowser());
    onTestFinished(close);
    await page.setContent(programs.get('leaderboard HTML') ?? '');
    await page.locator('#board tr').nth(3).waitFor();
    const first = await page.locator('#board tr').first().locator('td').allTextContents();
    expect(first).toEqual(['1', 'vitalik.eth', '9420', 'Titan']);
    expect(await page.locator('#board').textContent()).toContain('Zoë "Z" <z>');
    expect(faults).toEqual([]);
  });

  it.each(EFFORT === 1 ? [360] : [360, 1280])('reads well at %i px', async (width) => {
    const { page, faults, close } = await openPage(await sharedBrowser(), {
      viewport: { width, height: 800 },
    });
    onTestFinished(close);
    await page.goto(api.url + GUIDES);
    const widths = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(widths[0]).toBeLessThanOrEqual(widths[1]);
    expect(await axeViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
