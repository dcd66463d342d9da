import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { codeExamples } from '#http/api/docs/code';
import { LiveExamples } from '#http/api/docs/examples';
import { WORDS } from '#http/api/docs/words';
import { openApi, type TestApi, testApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

/** What the page says where there's no wallet to show, after the code in it. */
const MADE_UP = WORDS.start.noWallet.split('`').at(-1) ?? '';

interface Program {
  name: string;
  code: string;
}

/** The programs on a page, as a reader would copy them. */
async function programsOf(api: TestApi): Promise<Program[]> {
  const page = await (await api.get('/docs')).text();
  const blocks = page.matchAll(/<div class="code" data-name="([^"]+)"><pre[^>]*><code>([^<]*)</g);
  return [...blocks].map(([, name = '', code = '']) => ({ name, code: decode(code) }));
}

function decode(text: string): string {
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
}
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

describe('examples', () => {
  let api: TestApi;
  let folder: string;
  let programs: Program[];
  beforeAll(async () => {
    api = await openApi();
    folder = mkdtempSync(join(tmpdir(), 'docs-examples-'));
    programs = await programsOf(api);
  });
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, code: string) => {
    const path = join(folder, name);
    writeFileSync(path, code);
    return path;
  };
  const languages: [name: string, probe: string[], command: (code: string) => string[]][] = [
    ['curl', ['curl', '--version'], (code) => ['sh', '-c', code]],
    ['JavaScript', [process.execPath, '-v'], (code) => [process.execPath, file('a.mjs', code)]],
    ['Python', ['python3', '--version'], (code) => ['python3', file('a.py', code)]],
    ['Go', ['go', 'version'], (code) => ['go', 'run', file('a.go', code)]],
  ];

  it('shows each resource in each language', () => {
    for (const [name] of languages) {
      expect(programs.filter((each) => each.name.startsWith(`${name}, `))).toHaveLength(12);
    }
  });

  describe.each(languages)('in %s', (language, [tool = '', ...args], command) => {
    const isThere = spawnSync(tool, args).status === 0;
    it.runIf(isThere)(`run as they stand${isThere ? '' : ` (skipped: no ${tool})`}`, async () => {
      for (const { name, code } of programs.filter((each) => each.name.startsWith(language))) {
        const { status, output } = await run(command(code));
        expect(status, `${name}\n${code}\n${output}`).toBe(0);
        expect(output, name).toMatch(/total|score|digest|hasMore/);
        if (/wallet$/.test(name)) expect(output, name).toContain(ETH);
      }
    });

    it.runIf(isThere)('say what is wrong when it is', async () => {
      if (language === 'curl') return;
      const other = codeExamples(`${api.url}/v1/leaderboard?limit=0`);
      const code = other.find(({ name }) => name === language)?.code ?? '';
      const { status, output } = await run(command(code));
      expect(status).not.toBe(0);
      expect(output).toContain('invalid-parameter');
    });
  });

  it('quotes an address for the shell', async () => {
    const url = 'http://x/a\'b?c=1&d=$(id)`id`\\ "é';
    const { code } = codeExamples(url)[0]!;
    const { output } = await run(['sh', '-c', code.replace(/^curl /, "printf '%s' ")]);
    expect(output).toBe(url);
  });
});

function run([command = '', ...args]: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status: status ?? -1, output }));
  });
}

describe('the example wallet', () => {
  it('exists here, and its responses are real', async () => {
    const api = await testApi();
    const text = await (await api.get('/docs')).text();
    // Of the examples; an entry of the changelog may say "/link ADDRESS".
    const code = [...text.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, each]) => each).join('\n');
    expect(code).toContain(ETH);
    expect(code).not.toContain('ADDRESS');
    expect(text).not.toContain(MADE_UP);
    const shown = /<h4>Response<\/h4>\n<pre[^>]*><code>(.*?)<\/code>/s.exec(text)?.[1] ?? '';
    const real = await (await api.get(`/v1/reputation/${ETH}`)).json();
    expect(JSON.parse(decode(shown.replace(/<[^>]+>/g, '')))).toEqual(real);
  });

  it.each([
    ['there is none', () => ({ leaderboard: [], total: 0, limit: 50, offset: 0 })],
    [
      'the data is away',
      () => {
        throw new RetryableError('away', { retryAfter: 5 });
      },
    ],
  ])('are words where %s, and the page still comes', async (_, leaderboard) => {
    const api = await testApi();
    api.source.override = { leaderboard };
    const answer = await api.get('/docs');
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain(`curl ${api.url}/v1/reputation/ADDRESS<`);
    expect(text).toContain(MADE_UP);
    expect(text).toContain('name="address" value=""');
  });

  it('is fetched once a minute, however many readers there are', async () => {
    const api = await testApi();
    const asked = vi.spyOn(api.source, 'leaderboard');
    await Promise.all(Array.from({ length: 20 }, () => api.get('/docs').then((a) => a.text())));
    // Once for the wallet, once for the example of the leaderboard.
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('is replaced once it has gone, with long lists truncated', async () => {
    let now = 0;
    const api = await testApi();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answer = vi.fn(() => ({ badges: names }));
    const route = { id: 'x', exampleRequest: '/x/0x1', ofWallet: true, example: {}, answer };
    const bound = {
      route,
      readQuery: () => ({ query: {} }),
      serialize: JSON.stringify,
    };
    const warn = vi.fn();
    const examples = new LiveExamples({
      routes: () => [bound] as never,
      source: api.source,
      wallets: { parse: (address: string) => ({ chain: 'ethereum', address }) },
      log: { ...api.log, warn },
      monotonic: () => now,
    });
    const first = await examples.current();
    expect(first.byId.get('x')).toEqual({
      request: `/x/${ETH}`,
      response: { badges: ['a', 'b', 'c'] },
      isCut: true,
    });
    now = 59_999;
    expect(await examples.current()).toBe(first);
    // The data is unavailable for a while: real examples stay, and the log says so once.
    for (now of [60_000, 120_000]) {
      answer.mockImplementationOnce(() => {
        throw new RetryableError('away', { retryAfter: 5 });
      });
      expect(await examples.current()).toBe(first);
    }
    expect(warn).toHaveBeenCalledTimes(1);
    now = 180_000;
    expect(await examples.current()).not.toBe(first);
  });
});

describe('a form submitted without JavaScript', () => {
  it.each([
    ['resource=getStats', '/docs#resources'],
    ['', '/docs#resources'],
    ['resource=getReputation&address=', '/docs#getReputation'],
    [`resource=getReputation&address=+${ETH}+&chain=`, `/v1/reputation/${ETH}`],
    ['resource=getReputation&address=..%2F..%2Flivez', '/v1/reputation/..%2F..%2Flivez'],
    ['resource=getReputation&address=a%0d%0aX-A:b', '/v1/reputation/a%0D%0AX-A%3Ab'],
    ['resource=getLeaderboard&limit=2&chain=sol&x=1', '/v1/leaderboard?limit=2&chain=sol'],
    ['resource=getGlobalStats', '/v1/stats/global'],
  ])('%s leads to %s', async (query, location) => {
    const api = await testApi();
    const answer = await api.get(`/docs/try?${query}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});
