import { describe, expect, it } from 'vitest';
import { OPERATOR_RETRY, RetryableError, UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { shortAddress } from '#wallet/wallet';
import { user } from '../../../../bench/servers/discord/world.ts';
import { testApi } from '../../../support/api.ts';
import { CookieJar } from '../../../support/cookie-jar.ts';
import { eventually } from '../../../support/eventually.ts';
import { NEWCOMER, NOW, TITAN, UNSEEN, WHALE } from '../../../support/fixed-source.ts';
import { rolesWorld } from '../../../support/linked-roles.ts';

const EN = textsFor('en');

const START = '/discord/linked-roles';
const VERA = user('vera');

describe('a connecting member', () => {
  it('is sent to Discord and back, and Discord gets their figures at once', async () => {
    const world = await rolesWorld();
    await world.link(VERA, WHALE, NOW - 90 * 86_400);
    const jar = new CookieJar();
    const visit = await world.connect(VERA, jar);
    expect(visit.status).toBe(200);
    expect(visit.body).toContain('<h1>Connected</h1>');
    expect(visit.body).toContain(EN.rolePages.close);
    expect(visit.hops.map((url) => new URL(url).pathname)).toEqual([
      START,
      '/oauth2/authorize',
      `${START}/callback`,
    ]);
    expect(world.discord.known(VERA)).toEqual({
      platform_name: 'Fathom',
      platform_username: shortAddress(WHALE.address),
      metadata: {
        score: '7420',
        tier: '4',
        rank: '2',
        badges: '8',
        linked: '2026-04-02T12:00:00Z',
      },
    });
    // Temporary cookies are gone.
    expect(jar.cookiesOf(world.api.url)).toEqual({});
  });

  it('without a linked wallet is told to link one, which then fills the figures in', async () => {
    const world = await rolesWorld();
    const visit = await world.connect(VERA);
    expect(visit.status).toBe(200);
    expect(visit.body).toContain(EN.rolePages.noWallet.title);
    expect(visit.body).toContain(EN.rolePages.noWallet.about);
    expect(world.discord.known(VERA)).toBeUndefined();
    await world.link(VERA, TITAN);
    await eventually(() => world.discord.known(VERA) !== undefined);
    expect(world.discord.known(VERA)).toMatchObject({ metadata: { tier: '5', score: '12345' } });
  });

  it('gets the best of each figure across their wallets, and days since the oldest', async () => {
    const world = await rolesWorld();
    await world.link(VERA, NEWCOMER, NOW - 86_400);
    await world.link(VERA, TITAN, NOW - 3_600);
    await world.link(VERA, WHALE, NOW - 60);
    await world.connect(VERA);
    expect(world.discord.known(VERA)).toEqual({
      platform_name: 'Fathom',
      platform_username: shortAddress(TITAN.address),
      metadata: {
        score: '12345',
        tier: '5',
        rank: '1',
        badges: '8',
        linked: '2026-06-30T12:00:00Z',
      },
    });
  });

  it('with a wallet that was never seen has no figures, rather than zeros', async () => {
    const world = await rolesWorld();
    await world.link(VERA, UNSEEN);
    await world.connect(VERA);
    expect(world.discord.known(VERA)).toEqual({
      platform_name: 'Fathom',
      platform_username: shortAddress(UNSEEN.address),
      metadata: { linked: '2026-07-01T12:00:00Z' },
    });
  });

  it('shows an address only if everyone may see it', async () => {
    const world = await rolesWorld();
    const nameOf = async (privacy: 'hidden' | 'community' | 'public') => {
      const person = user(privacy);
      const links = world.linksOf(person);
      await links.choose(privacy);
      await world.link(person, privacy === 'public' ? WHALE : TITAN);
      await world.connect(person);
      return world.discord.known(person)?.platform_username;
    };
    expect(await nameOf('hidden')).toBe('Titan');
    expect(await nameOf('community')).toBe('Titan');
    expect(await nameOf('public')).toBe(`${WHALE.address.slice(0, 6)}…${WHALE.address.slice(-4)}`);
  });

  it.each(['hidden', 'community'] as const)(
    'reveals only the tier if they chose “%s”',
    async (privacy) => {
      const world = await rolesWorld();
      await world.linksOf(VERA).choose(privacy);
      await world.link(VERA, WHALE);
      await world.connect(VERA);
      expect(world.discord.known(VERA)).toEqual({
        platform_name: 'Fathom',
        platform_username: 'Whale',
        metadata: { tier: '4' },
      });
      await world.linksOf(VERA).choose('public');
      await eventually(() => world.value('score', VERA) === '7420');
    },
  );

  it('is connected even while figures are unavailable, which follow later', async () => {
    const world = await rolesWorld();
    await world.link(VERA, WHALE);
    world.source.upset = (reading) => {
      reading.isStale = true;
    };
    const visit = await world.connect(VERA);
    expect(visit.status).toBe(200);
    expect(visit.body).toContain(EN.rolePages.later.about);
    expect(world.discord.known(VERA)).toBeUndefined();
    world.source.upset = () => undefined;
    world.roles.begin();
    await world.passUntil(() => world.discord.known(VERA) !== undefined);
  });

  it('is connected even if Discord rejects the figures, which follow later', async () => {
    const world = await rolesWorld();
    await world.link(VERA, WHALE);
    world.discord.upset('put', { status: 500 });
    const visit = await world.connect(VERA);
    expect(visit.status).toBe(200);
    expect(visit.body).toContain(EN.rolePages.later.about);
    world.roles.begin();
    await world.passUntil(() => world.value('score', VERA) === '7420');
  });

  it.each([
    ['application', { status: 500 }],
    ['token', { status: 500 }],
    ['token', 'drop'],
    ['token', { status: 429, body: { retry_after: 7, global: true, message: 'x' } }],
    ['me', { status: 503 }],
    ['me', { status: 200, body: '[' }],
  ] as const)('is told to try again when Discord fails at %s: %j', async (route, trouble) => {
    const world = await rolesWorld();
    await world.link(VERA, WHALE);
    world.discord.upset(route, trouble);
    const visit = await world.connect(VERA);
    expect([400, 503]).toContain(visit.status);
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(visit.body).toContain(`href="${world.api.url}${START}"`);
    expect(await world.store.connections.find(VERA.id)).toBeUndefined();
    world.time.now += 60_000;
    expect((await world.connect(VERA)).status).toBe(200);
  });

  it('is told to try again for as long as a proxy names a date', async () => {
    const world = await rolesWorld();
    await world.link(VERA, WHALE);
    const until = new Date(Date.now() + 600_000).toUTCString();
    const headers = { 'retry-after': until };
    world.discord.upset('me', { status: 429, headers, body: '<h1>Slow down</h1>' });
    expect((await world.connect(VERA)).status).toBe(503);
    world.time.now += 60_000;
    expect((await world.connect(VERA)).status).toBe(503);
    world.time.now += 600_000;
    expect((await world.connect(VERA)).status).toBe(200);
  });

  it.each([
    [new RetryableError('/secret/place/fathom.db is locked', { retryAfter: 9 }), 9],
    [new UserError('wrong-configuration', '/secret/place/fathom.db is corrupt'), OPERATOR_RETRY],
  ])(
    "is told to try again when the store can't save it, but not where it is: %s",
    async (thrown, seconds) => {
      const world = await rolesWorld();
      const connections = {
        ...world.store.connections,
        connect() {
          throw thrown;
        },
      };
      const other = world.another({ store: { links: world.store.links, connections } });
      const api = await testApi({ register: (app) => other.register(app) });
      const jar = new CookieJar();
      const back = new URL((await jar.visit(api.url + START, '/callback')).url);
      const visit = await jar.visit(`${api.url}${back.pathname}${back.search}`);
      expect(visit.status).toBe(503);
      expect(visit.headers.get('retry-after')).toBe(String(seconds));
      expect(visit.body).not.toContain('/secret/place');
    },
  );

  it('who declines is told so, and nothing is stored', async () => {
    const world = await rolesWorld();
    world.discord.grants.decision = 'deny';
    const visit = await world.connect(VERA);
    expect(visit.status).toBe(200);
    expect(visit.body).toContain(EN.rolePages.denied.about);
    expect(visit.body).toContain(`href="${world.api.url}${START}"`);
    expect(await world.store.connections.find(VERA.id)).toBeUndefined();
    expect(world.discord.count('token')).toBe(0);
  });

  it("who grants less than needed isn't connected", async () => {
    const world = await rolesWorld();
    world.discord.grants.allowed = 'identify';
    const visit = await world.connect(VERA);
    expect(visit.status).toBe(400);
    expect(visit.body).toContain(EN.rolePages.refused.about);
    expect(await world.store.connections.find(VERA.id)).toBeUndefined();
  });

  it('again keeps one connection, with the latest grant', async () => {
    const world = await rolesWorld();
    await world.link(VERA, WHALE);
    await world.connect(VERA);
    world.discord.connections.clear();
    await world.connect(VERA);
    // Sent again although nothing had changed: Discord may have forgotten it.
    expect(world.discord.known(VERA)).toMatchObject({ metadata: { score: '7420' } });
    expect(await world.store.connections.due(NOW * 2, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1);
  });
});

describe("if Discord doesn't accept PKCE with the required scope", () => {
  it('the first member goes twice, and all others once', async () => {
    const world = await rolesWorld();
    world.discord.grants.takesPkce = false;
    await world.link(VERA, WHALE);
    const first = await world.connect(VERA);
    expect(first.status).toBe(200);
    expect(first.hops.map((url) => new URL(url).pathname)).toEqual([
      START,
      '/oauth2/authorize',
      `${START}/callback`,
      '/oauth2/authorize',
      `${START}/callback`,
    ]);
    expect(new URL(first.hops[1] ?? '').searchParams.get('code_challenge_method')).toBe('S256');
    expect(new URL(first.hops[3] ?? '').searchParams.get('code_challenge')).toBeNull();
    expect(world.discord.known(VERA)).toMatchObject({ metadata: { score: '7420' } });
    const second = await world.connect(user('other'));
    expect(second.hops).toHaveLength(3);
    expect(world.said().filter((line) => line.includes('PKCE'))).toHaveLength(1);
  });
});

describe('the pages', () => {
  it("are in the reader's language", async () => {
    const world = await rolesWorld();
    const jar = new CookieJar();
    jar.language = 'es-MX,es;q=0.9,en;q=0.1';
    const visit = await world.connect(VERA, jar);
    expect(visit.body).toContain('<html lang="es">');
    expect(visit.body).toContain(textsFor('es').rolePages.noWallet.about);
    expect(visit.headers.get('vary')).toContain('Accept-Language');
  });

  it("run no script, make no outside request, and aren't cached", async () => {
    const world = await rolesWorld();
    const start = await world.api.get(START);
    const visit = await world.connect(VERA);
    expect(visit.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(visit.body).not.toContain('<script');
    for (const { headers } of [start, visit]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-request-id')).toBeTruthy();
    }
    for (const [, path] of visit.body.matchAll(/(?:href|src)="(\/[^"]+)"/g)) {
      expect((await world.api.get(String(path))).status, path).toBe(200);
    }
  });

  it('bind what began to one browser, with a cookie that no script and no other site gets', async () => {
    const world = await rolesWorld();
    const plain = await world.api.get(START);
    expect(plain.status).toBe(302);
    expect(plain.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^fathom_roles=[\w-]{60,400}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
      ),
    ]);
    const secure = await rolesWorld({ changes: { publicUrl: () => 'https://rep.example.org' } });
    const answer = await secure.api.get(START);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-fathom_roles=[\w-]{60,400}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
      ),
    ]);
  });

  it('use a new state and challenge each time', async () => {
    const world = await rolesWorld();
    const urls = await Promise.all(
      Array.from({ length: 5 }, async () => (await world.api.get(START)).headers.get('location')),
    );
    const queries = urls.map((url) => new URL(url ?? '').searchParams);
    expect(new Set(queries.map((each) => each.get('state'))).size).toBe(5);
    expect(new Set(queries.map((each) => each.get('code_challenge'))).size).toBe(5);
    for (const each of queries) expect(each.get('state')).toMatch(/^[\w-]{22}$/);
  });

  it("do nothing when they're only viewed", async () => {
    const world = await rolesWorld();
    for (const method of ['GET', 'HEAD']) {
      expect((await world.api.get(START, { method })).status).toBe(302);
    }
    expect(await world.store.connections.due(NOW * 2, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    // Apart from one request about the application, nothing is sent to Discord.
    expect(world.discord.asked).toEqual(['application']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('reject %s', async (method) => {
    const world = await rolesWorld();
    for (const path of [START, `${START}/callback`]) {
      expect((await world.api.get(path, { method })).status).toBe(405);
    }
  });

  it("limit each client's requests, and say how long to wait", async () => {
    const world = await rolesWorld();
    for (let i = 0; i < 20; i += 1) expect((await world.api.get(START)).status).toBe(302);
    for (const path of [START, `${START}/callback?code=a&state=b`]) {
      const answer = await world.api.get(path);
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toBe('60');
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await answer.text()).toContain('Wait 60 seconds');
    }
    world.time.now += 60_000;
    expect((await world.api.get(START)).status).toBe(302);
  });
});
