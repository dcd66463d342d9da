import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { loadConfig } from '#app/config';
import { boundedOutput, createLog, createScrubber, secretsOf } from '#app/log';
import { patienceMs } from './support/patience.ts';

const KEY = `fth_${'a1B2c3D4e5'.repeat(3)}abcdef`;

function logged(forPeople: boolean, secrets: string[] = []) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', forPeople, secrets, write: (line) => lines.push(line) });
  return { log, lines };
}

it('The log writes a line as one JSON object unless stdout is a terminal', () => {
  const { log, lines } = logged(false);
  log.info({ requestId: 'r-1', route: '/v1/stats/global' }, 'answered');
  expect(JSON.parse(lines[0] as string)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-/),
    requestId: 'r-1',
    route: '/v1/stats/global',
    msg: 'answered',
  });
});

it('The log writes human-readable lines to a terminal', () => {
  const { log, lines } = logged(true);
  log.warn({ requestId: 'r-1' }, 'careful');
  expect(lines[0]).toMatch(/WARN.*careful.*r-1/);
  expect(lines[0]).not.toMatch(/^\{/);
});

it.each([
  ['an API key', `used ${KEY} here`, KEY],
  ['a secret of a webhook', 'signed with whsec_dGhpcyBpcyBh/+IHNlY3JldA==', 'dGhpcyBpcyBh'],
  ['a known token', 'the token is hunter2-hunter2', 'hunter2-hunter2'],
  ['a password in a URL', 'postgres://bob:tops3cret@db/x failed', 'tops3cret'],
  ['an authorization header', 'Authorization: Bearer abc.def.ghi', 'abc.def.ghi'],
  ['a variable', 'DISCORD_TOKEN=MTAx.Yz.abcdef was wrong', 'MTAx.Yz.abcdef'],
  ['a field of JSON', '{"webhook_secret":"s3s4me"}', 's3s4me'],
  [
    'a bot token in a path',
    'GET /bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe',
    'AAHdqTcvCH1',
  ],
])('The log never shows %s, wherever it stands', (_, text, secret) => {
  for (const forPeople of [true, false]) {
    const { log, lines } = logged(forPeople, ['hunter2-hunter2']);
    const cause = new Error(text);
    log.error(
      { err: new Error(`outer ${text}`, { cause }), note: text, deep: { a: [text] } },
      text,
    );
    expect(lines.join('')).toContain('[hidden]');
    expect(lines.join('')).not.toContain(secret);
  }
});

it('The log redacts a secret between any texts, in each of its forms', () => {
  const secret = 'S3cr3tS3cr3tS3cr3tS3cr3tS3cr3tS3cr3t';
  const form = fc.constantFrom(
    `fth_${secret}`,
    `postgres+x://${secret}@host`,
    `https://user:${secret}@host/path`,
    `Bearer   ${secret}`,
    `my-bot_token = "${secret}"`,
    `CLIENT_SECRET:${secret}`,
    `\\"dbPassword\\": \\"${secret}\\"`,
    `api-key=${secret}`,
    `12345678:${secret}`,
    `/link#${'abcdef0123456789'.repeat(2)}`,
  );
  const pieces = fc.constantFrom(
    'a',
    '-',
    '.',
    ' ',
    '\n',
    '"',
    '\\',
    '/',
    ':',
    '=',
    '1',
    'é',
    'token',
  );
  const around = fc.string({ unit: pieces });
  const scrub = createScrubber([]);
  const check = (before: string, text: string, after: string) => {
    // A longer word is another word.
    const clean = scrub(`${before} ${text} ${after}`);
    expect(clean).not.toContain(secret);
    expect(clean).not.toContain('abcdef0123456789');
  };
  fc.assert(fc.property(around, form, around, check));
});

it('The log redacts the value of a field that is named in the value of another', () => {
  const scrub = createScrubber([]);
  expect(scrub('token= my_token = "hunter2"')).toBe('token= [hidden] = "[hidden]"');
  expect(scrub('token=token=hunter2, b')).toBe('token=[hidden], b');
});

it('The log redacts a long line in linear time', () => {
  const scrub = createScrubber(['hunter2-hunter2']);
  const endless = [
    'a.',
    'a-',
    'ab',
    'token',
    'token=',
    'x://',
    'Bearer ',
    '\\',
    '12345678:',
    'fth_',
  ];
  const began = performance.now();
  for (const piece of endless) scrub(piece.repeat((256 * 1024) / piece.length));
  // A few milliseconds each; minutes if each position were compared with the whole rest.
  expect(performance.now() - began).toBeLessThan(30_000);
});

it('The log leaves what is not a secret unchanged', () => {
  const scrub = createScrubber([]);
  const plain =
    'GET /v1/reputation/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed https://rep.example.org 200';
  expect(scrub(plain)).toBe(plain);
});

it('The log has an error with its stack and its chain of causes, even a circular one', () => {
  const { log, lines } = logged(false);
  const inner = new Error('inner');
  const outer = new Error('outer', { cause: inner });
  inner.cause = outer;
  log.error({ err: outer }, 'failed');
  const { err } = JSON.parse(lines[0] as string);
  expect(err).toMatchObject({ type: 'Error', message: 'outer' });
  expect(err.stack).toContain('log.test.ts');
  expect(err.causes[0]).toBe('inner');
});

it("The log removes a proxy's credentials in every form from what is logged", () => {
  const config = loadConfig({ https_proxy: 'http://fathom:hush%40p@proxy.example:3128' });
  const { log, lines } = logged(false, secretsOf(config));
  const basic = Buffer.from('fathom:hush@p').toString('base64');
  log.warn({ error: new Error(`asked with Basic ${basic}`) }, 'hush%40p is hush@p');
  for (const secret of ['hush', basic]) expect(lines.join()).not.toContain(secret);
});

it('Lines that a stalled reader doesn’t take are dropped beyond a bound, and counted once it goes on', async () => {
  const taken: string[] = [];
  const stalled: (() => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(line, _, done) {
      taken.push(String(line));
      if (stalled.length === 0) stalled.push(done);
      else done();
    },
  });
  const dropped: number[] = [];
  const write = boundedOutput(stream, (lines) => {
    dropped.push(lines);
    write('told');
  });
  const lines = Array.from({ length: 3_000 }, (_, number) => `${number} ${'x'.repeat(995)}`);
  for (const line of lines) write(line);
  expect(stream.writableLength).toBeLessThanOrEqual(1024 * 1024);
  expect(dropped).toEqual([]);
  stalled[0]?.();
  await vi.waitFor(() => expect(dropped).toHaveLength(1), { timeout: patienceMs() });
  write('after');
  const kept = lines.length - (dropped[0] ?? 0);
  expect(kept).toBeGreaterThan(900);
  expect(taken).toEqual([...lines.slice(0, kept), 'told', 'after']);
});
