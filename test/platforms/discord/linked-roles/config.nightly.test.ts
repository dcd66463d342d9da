import { describe, expect, it } from 'vitest';
import { type Environment, loadConfig } from '#app/config';
import { createScrubber } from '#app/log';
import { UserError } from '#base/errors';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { LANGUAGES as PAGE_LANGUAGES } from '#http/pages/words/index';
import { metadataRecords } from '#platforms/discord/linked-roles/application';
import { runCli } from '../../../support/import-cli.ts';

const TOKEN = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.abcdefghijklmnopqrstuvwxyz0123456789ab';
const SECRET = 'abcdefghijklmnopqrstuvwxyz-_0123';
const ALL = {
  DISCORD_TOKEN: TOKEN,
  DISCORD_CLIENT_SECRET: SECRET,
  PUBLIC_URL: 'https://rep.example.org',
};

/** The URLs where members connect. */
function urlsOf(env: Environment): string[] {
  const { platforms } = loadConfig(env);
  return platforms.flatMap(({ roleConnections }) => roleConnections?.publicUrl ?? []);
}

describe('Linked Roles are', () => {
  it.each([
    'https://rep.example.org',
    'https://rep.example.org/base',
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])('on with a bot, a client secret and %s', (url) => {
    expect(urlsOf({ ...ALL, PUBLIC_URL: url })).toEqual([url]);
  });

  it.each([
    ['a bot', { DISCORD_TOKEN: '' }],
    ['a client secret', { DISCORD_CLIENT_SECRET: '' }],
  ])('off without %s', (_, change) => {
    expect(urlsOf({ ...ALL, ...change })).toEqual([]);
  });

  it.each([
    ['an address', { PUBLIC_URL: '' }],
    ['https', { PUBLIC_URL: 'http://rep.example.org' }],
    ['https, though it looks local', { PUBLIC_URL: 'http://localhost.example.org' }],
  ])('rejected without %s', (_, change) => {
    expect(() => loadConfig({ ...ALL, ...change })).toThrow(
      /^DISCORD_CLIENT_SECRET: needs PUBLIC_URL/,
    );
  });

  it.each([
    ['short', 'must be the client secret'],
    ['with blanks in it, but long enough', 'must be the client secret'],
    [`${SECRET}"`, 'begins or ends with a quote'],
    ['x'.repeat(201), 'must be the client secret'],
  ])("rejected with the client secret %s, which isn't shown", (text, fault) => {
    const load = () => loadConfig({ ...ALL, DISCORD_CLIENT_SECRET: text });
    expect(load).toThrow(UserError);
    expect(load).toThrow(`DISCORD_CLIENT_SECRET: ${fault}`);
    expect(load).not.toThrow(text);
  });
});

describe('fathom doctor', () => {
  async function examine(env: Record<string, string>) {
    // Nothing there could check the token.
    const ports = { PORT: '0', METRICS_PORT: '0', DISCORD_API_URL: 'http://127.0.0.1:1' };
    const cwd = process.cwd();
    const { stdout, stderr } = await runCli(['doctor'], { cwd, env: { ...ports, ...env } });
    expect(stdout + stderr).not.toContain(SECRET);
    return stdout.split('\n').filter((line) => line.includes('linked roles'));
  }

  it('says what to enter at Discord', async () => {
    const [line, ...others] = await examine(ALL);
    expect(others).toEqual([]);
    expect(line).toMatch(/^ok /);
    expect(line).toContain('https://rep.example.org/discord/linked-roles ');
    expect(line).toContain('https://rep.example.org/discord/linked-roles/callback');
  });

  it('warns that they are off, and names the token', async () => {
    const [line, ...others] = await examine({ ...ALL, DISCORD_TOKEN: '' });
    expect(others).toEqual([]);
    expect(line).toMatch(/^warn /);
    expect(line).toContain('DISCORD_TOKEN');
  });

  it('says nothing if nobody wants them', async () => {
    expect(await examine({ ...ALL, DISCORD_CLIENT_SECRET: '' })).toEqual([]);
  });
});

describe('the texts', () => {
  it('exist in every language of the pages, each as its own sentence', () => {
    expect(LANGUAGES).toEqual(PAGE_LANGUAGES.map(({ language }) => language));
    const [english, ...others] = LANGUAGES.map((language) => textsFor(language).rolePages);
    for (const pages of others) expect(Object.keys(pages)).toEqual(Object.keys(english ?? {}));
    for (const pages of [english, ...others]) {
      expect(pages?.limited.about('17')).toContain('17');
      const sentences = Object.values(pages ?? {}).flatMap((each) =>
        typeof each === 'string' ? [] : [String(each.about)],
      );
      expect(new Set(sentences).size).toBe(sentences.length);
    }
  });

  it("of the requirements are within Discord's limits", () => {
    for (const { name, description } of metadataRecords()) {
      expect(name.length).toBeLessThanOrEqual(100);
      expect(description.length).toBeLessThanOrEqual(200);
    }
    for (const language of LANGUAGES) {
      for (const { name, about } of Object.values(textsFor(language).roles)) {
        expect(name.length).toBeLessThanOrEqual(100);
        expect(about.length).toBeLessThanOrEqual(200);
      }
    }
  });
});

it('a client secret in a log line is redacted', () => {
  const scrub = createScrubber([SECRET]);
  expect(scrub(`{"message":"it is ${SECRET}, isn't it"}`)).not.toContain(SECRET);
});
