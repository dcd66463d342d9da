import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { LANGUAGES as PAGE_LANGUAGES, wordsFor } from '#http/pages/words/index';
import { partsOf, textsOf } from '../../support/discord/read.ts';
import { openPlayground, type TestPlayground } from '../../support/playground.ts';

const EN = textsFor('en');
const CALLER = '0123456789abcdef0123456789abcdef';
const OTHER = 'fedcba9876543210fedcba9876543210';
const THIRD = 'cccccccccccccccccccccccccccccccc';
const BASE = { caller: CALLER, language: 'en' };

let service: TestPlayground;
beforeAll(async () => {
  service = await openPlayground({ asksAMinute: 1_000 });
});
afterAll(() => service.close());

function post(path: string, body: unknown, headers: Record<string, string> = {}, to = service) {
  return fetch(`${to.url}/playground/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

interface Answer {
  readonly asked: string;
  readonly file?: { readonly name: string; readonly text: string; readonly about?: string };
  readonly discord: {
    readonly flags?: number;
    readonly components: object[];
  };
  readonly telegram: { readonly text: string; readonly reply_markup?: unknown };
}

async function ask(
  question: { text: string } | { code: string },
  caller = CALLER,
): Promise<Answer> {
  const answer = await post('ask', { ...BASE, caller, ...question });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

describe('the endpoint that answers', () => {
  it('returns the messages of both chats', async () => {
    const answer = await ask({ text: '/top sol 2' });
    expect(answer.asked).toBe('/top sol 2');
    expect(textsOf(answer.discord).join()).toContain('Leaderboard · Solana');
    expect(answer.telegram.text).toContain('Leaderboard · Solana');
  });

  it('understands what newcomers type', async () => {
    const top = await ask({ text: '/top' });
    const address = '0x5195325E46E7E18466464789241b0e36392AD5Dd';
    expect((await ask({ text: 'TOP' })).telegram.text).toBe(top.telegram.text);
    expect((await ask({ text: '/top@some_bot' })).telegram.text).toBe(top.telegram.text);
    expect((await ask({ text: address })).asked).toBe(`/rep ${address}`);
    expect((await ask({ text: '/nothing' })).telegram.text).toContain(
      EN.errors.unknownCommand('nothing').split(' /')[0],
    );
    expect((await ask({ text: '/top what' })).telegram.text).toContain('what');
  });

  it('says of a moderators’ command that it is about a community, of others about an account', async () => {
    for (const { language, answers } of PAGE_LANGUAGES) {
      const answered = async (text: string) => {
        const answer = await post('ask', { ...BASE, language, text });
        return textsOf(((await answer.json()) as Answer).discord).join();
      };
      expect(await answered('/card')).toContain(answers.ofCommunities('/card'));
      expect(await answered('/apikey')).toContain(answers.private('/apikey'));
    }
  });

  it('issues no keys, neither for a command nor for a button', async () => {
    for (const question of [{ text: '/apikey create mine' }, { code: 'k!create!mine' }]) {
      const answer = await ask(question);
      expect(answer.telegram.text).toContain(wordsFor(['en']).answers.privateTitle);
      expect(answer.telegram.text).not.toContain('fth_');
      expect((answer.discord.flags ?? 0) & 64).toBe(64);
    }
  });

  it('talks about the command, not about keys, where only a chat can answer', async () => {
    for (const name of ['link', 'wallets', 'unlink', 'privacy']) {
      const { text } = (await ask({ text: `/${name}` })).telegram;
      expect(text).toContain(wordsFor(['en']).answers.private(name));
      expect(text).not.toMatch(/\bkeys?\b/);
    }
  });

  it('lets anyone try /gate on a made-up server, each page on its own', async () => {
    const text = async (question: string, caller?: string) =>
      (await ask({ text: question }, caller)).telegram.text;
    const preview = await text('/gate preview');
    expect(preview).toMatch(/marina.*Whales/);
    expect(preview).not.toMatch(/marina.*Titans/);
    expect(preview).toContain(wordsFor(['en']).answers.madeUp);
    expect(await text('/gate add role:@Dolphins tier:dolphin')).toContain('Dolphins');
    expect(await text('/gate add role:@Moderators tier:whale')).toMatch(/rights|permission/i);
    await text('/gate run');
    expect(await text('/gate why member:@olu')).toContain('Dolphins');
    expect(await text('/gate preview')).not.toMatch(/marina.*Whales/);
    expect(await text('/gate preview', OTHER)).toMatch(/marina.*Whales/);
    expect(await text('/gate list', OTHER)).not.toContain('Dolphins');
    expect(await text('/gate protect member:@kai', OTHER)).toContain('kai');
    expect(await text('/gate add role:@Nobody tier:whale', OTHER)).toMatch(/rol/);
  });

  it('previews what members lose there, with the whole list as a file', async () => {
    const { telegram, file } = await ask({ text: '/gate preview' }, THIRD);
    expect(telegram.text).toMatch(
      new RegExp(`${EN.gate.losses}: 1\n.*rosa · Whales.*${EN.gate.gains}`, 's'),
    );
    expect(file?.about).toContain(EN.gate.allInFile);
    expect(file?.name).toBe('preview.csv');
    expect(file?.text).toMatch(/^take,@rosa,.*Whales,lacks/m);
    expect(file?.text).toMatch(/^give,@marina,.*Whales,meets/m);
    expect((await ask({ text: '/gate run' }, THIRD)).telegram.text).toContain('rosa');
    expect((await ask({ text: '/gate list' }, THIRD)).file).toBeUndefined();
  });

  it('suggests what a moderator may type next', async () => {
    const lines = async (typed: string) => {
      const answer = await post('suggest', { ...BASE, text: typed });
      return ((await answer.json()) as { completions: { line: string }[] }).completions.map(
        ({ line }) => line,
      );
    };
    expect(await lines('/gate pre')).toEqual(['/gate preview']);
    expect(await lines('/gate add @wh')).toEqual(['/gate add role:@Whales']);
    expect(await lines('/gate add role:@Whales tier:wh')).toEqual([
      '/gate add role:@Whales tier:whale',
    ]);
    expect(await lines('/gate why @mar')).toEqual(['/gate why member:@marina']);
  });

  it('links to the bots for what only they can do', async () => {
    const url = 'https://discord.com/oauth2/authorize?client_id=42';
    const invitations = [{ label: 'Discord', url }];
    const other = await openPlayground({ invitations: () => invitations });
    onTestFinished(() => other.close());
    const answer = await fetch(`${other.url}/playground/ask`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...BASE, text: '/apikey' }),
    });
    const { discord, telegram } = (await answer.json()) as Answer;
    const label = 'Open the bot in Discord';
    expect(partsOf(discord)).toContainEqual(expect.objectContaining({ label, url }));
    expect(JSON.stringify(telegram.reply_markup)).toContain(url);
  });

  it('lets a button be pressed by its own page', async () => {
    const { discord } = await ask({ text: '/top' });
    const code = partsOf(discord).find((each) => each.custom_id !== undefined)?.custom_id ?? '';
    expect((await ask({ code })).telegram.text).toContain('Page 2');
    expect((await ask({ code: `1~${code}` })).telegram.text).toContain('Page 2');
    expect((await ask({ code }, OTHER)).telegram.text).toContain(EN.errors.notYours);
    expect((await ask({ code: 'zzz' })).telegram.text).toContain(EN.errors.oldButton);
  });

  it('suggests commands, wallets and choices', async () => {
    const labels = async (text: string, language = 'en') => {
      const answer = await post('suggest', { ...BASE, language, text });
      const { completions } = (await answer.json()) as {
        completions: { label: string; line: string; detail: string }[];
      };
      return completions.map(({ label, line }) => `${label} → ${line}`);
    };
    expect(await labels('/s')).toEqual(['/stats → /stats']);
    expect(await labels('')).not.toContain('/apikey → /apikey ');
    expect(await labels('/top so')).toContain('sol → /top sol');
    expect((await labels('/top '))[0]).toBe('all → /top all');
    expect((await labels('/rep tide'))[0]).toMatch(/^tidepool · 0x\S+ → \/rep tidepool$/);
    expect((await labels('tide'))[0]).toMatch(/^tidepool · 0x\S+ → \/rep tidepool$/);
    expect(await labels('/nothing x')).toEqual([]);
    expect(await labels('/stats x y')).toEqual([]);
  });
});

describe('the endpoint rejects', () => {
  const question = { ...BASE, text: '/stats' };

  async function refusal(answer: Response): Promise<string> {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const problem = (await answer.json()) as Record<string, unknown>;
    expect(problem).toMatchObject({ status: answer.status, instance: '/playground/ask' });
    expect(problem.requestId).toBe(answer.headers.get('x-request-id'));
    expect(problem.detail).toBeTypeOf('string');
    return `${problem.status} ${problem.code}`;
  }

  it.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://elsewhere.example' },
    { Origin: 'null' },
  ])('requests from elsewhere: %o', async (headers) => {
    expect(await refusal(await post('ask', question, headers))).toBe('403 cross-site');
  });

  it('nothing from the page itself', async () => {
    expect((await post('ask', question, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
    expect((await post('ask', question, { Origin: service.url })).status).toBe(200);
  });

  it.each([
    ['nothing', ''],
    ['half an object', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"text"'],
    ['no member', {}],
    ['no question', BASE],
    ['two questions', { ...BASE, text: '/top', code: 't' }],
    ['a number for a text', { ...BASE, text: 7 }],
    ['a text that is too long', { ...BASE, text: 'x'.repeat(257) }],
    ['a code that is too long', { ...BASE, code: 'x'.repeat(101) }],
    ['an unknown member', { ...BASE, text: '/top', more: 1 }],
    ['a caller of their own making', { ...BASE, text: '/top', caller: 'me' }],
    ['a language that is none', { ...BASE, text: '/top', language: null }],
    ['a prototype', '{"__proto__": {"a": 1}}'],
  ])('a body with %s', async (_, body) => {
    expect(await refusal(await post('ask', body))).toBe('400 bad-request');
  });

  it('a body that is too large', async () => {
    const answer = await post('ask', { ...BASE, text: 'x'.repeat(5_000) });
    expect(await refusal(answer)).toBe('413 body-too-large');
  });

  it('anything but JSON', async () => {
    const answer = await post('ask', 'text=/top', {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect(await refusal(answer)).toBe('415 unsupported-media-type');
    expect(await refusal(await post('ask', '{}', { 'Content-Type': 'text/plain' }))).toBe(
      '400 bad-request',
    );
  });

  it('more than a client may send in a minute, and accepts requests after that', async () => {
    let now = 1_000_000;
    let client = 'a';
    const small = await openPlayground({
      asksAMinute: 2,
      clientOf: () => client,
      clock: () => now,
    });
    const status = async () => (await post('ask', question, {}, small)).status;
    expect([await status(), await status()]).toEqual([200, 200]);
    const answer = await post('ask', question, {}, small);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await refusal(answer)).toBe('429 rate-limited');
    // Rejected before its body is read; suggestions have their own limit.
    expect((await post('ask', '{', {}, small)).status).toBe(429);
    expect((await post('suggest', { ...BASE, text: '/' }, {}, small)).status).toBe(200);
    client = 'b';
    expect(await status()).toBe(200);
    client = 'a';
    now += 60_000;
    expect(await status()).toBe(200);
    await small.close();
  });

  it("other methods, with the API's errors", async () => {
    const answer = await fetch(`${service.url}/playground/ask`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('the page', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers });

  it('allows nothing from elsewhere', async () => {
    const { headers } = await get('/');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('has no inline script or style, and makes no outside request', async () => {
    const html = await (await get('/')).text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc="\/)/);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:\/\//);
    const files = [...html.matchAll(/(?:src|href)="(\/playground\/[^"]+)"/g)].map(
      (match) => match[1],
    );
    for (const file of files) expect((await get(file ?? '')).status).toBe(200);
  });

  it('speaks every language of the answers', () => {
    expect(PAGE_LANGUAGES.map(({ language }) => language).toSorted()).toEqual(LANGUAGES.toSorted());
  });

  it.each([
    ['/', {}, 'en'],
    ['/', { 'Accept-Language': 'fr, es-MX;q=0.8, en;q=0.5' }, 'es'],
    ['/', { 'Accept-Language': 'es;q=0, en' }, 'en'],
    ['/', { 'Accept-Language': 'en', Cookie: 'a=b; fathom_language=es' }, 'es'],
    ['/?lang=en', { 'Accept-Language': 'es' }, 'en'],
    ['/?lang=<script>', {}, 'en'],
    ['/?lang=en&lang=es', {}, 'en'],
  ])('%s with %o is in %s', async (path, headers, language) => {
    expect(await (await get(path, headers)).text()).toContain(`<html lang="${language}"`);
  });

  it('remembers a chosen language', async () => {
    const { headers } = await get('/?lang=es');
    expect(headers.get('set-cookie')).toMatch(
      /^fathom_language=es; Path=\/; Max-Age=\d+; SameSite=Lax$/,
    );
    expect((await get('/')).headers.get('set-cookie')).toBeNull();
  });

  it('is only sent again when it changes, and small', async () => {
    const first = await get('/playground/app.js', { 'Accept-Encoding': 'gzip' });
    expect(first.headers.get('content-encoding')).toBe('gzip');
    const etag = first.headers.get('etag') ?? '';
    expect((await get('/playground/app.js', { 'If-None-Match': etag })).status).toBe(304);
    const plain = await get('/playground/app.js', { 'Accept-Encoding': 'gzip;q=0' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect((await fetch(`${service.url}/`, { method: 'HEAD' })).status).toBe(200);
    expect((await get('/playground/../page.ts')).status).toBe(404);
    expect((await get('/playground/%2e%2e/page.ts')).status).toBe(404);
  });

  it('takes less than 30 KB to load, with every file of its folder', async () => {
    const entries = readdirSync(new URL('../../../src/http/pages/assets', import.meta.url), {
      withFileTypes: true,
    });
    const files = entries.filter((each) => each.isFile());
    let bytes = 0;
    for (const path of ['/', ...files.map(({ name }) => `/playground/${name}`)]) {
      bytes += (await rawBody(path)).length;
    }
    expect(bytes).toBeLessThan(30_000);
  });
});

/** The body as transferred, which `fetch` doesn't show. */
async function rawBody(path: string): Promise<Buffer> {
  const body = await new Promise<Buffer>((resolve, reject) => {
    const outgoing = request(
      service.url + path,
      { headers: { 'Accept-Encoding': 'gzip' } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve(Buffer.concat(chunks)));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
  expect(gunzipSync(body).length).toBeGreaterThan(0);
  return body;
}
