import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { openLinkedRoles } from '#platforms/discord/linked-roles/open';
import { BotRest } from '#platforms/discord/rest/bot-rest';
import { shortAddress } from '#wallet/wallet';
import { user } from '../../../../bench/servers/discord/world.ts';
import { openApi } from '../../../support/api.ts';
import { CookieJar } from '../../../support/cookie-jar.ts';
import { TITAN, WHALE } from '../../../support/fixed-source.ts';
import { type RolesWorld, rolesWorld } from '../../../support/linked-roles.ts';

const EN = textsFor('en');

const START = '/discord/linked-roles';
const CALLBACK = `${START}/callback`;
const COOKIE = 'fathom_roles';
const VICTIM = user('victim');
const ATTACKER = user('attacker');

/** Goes to Discord and agrees, but doesn't come back. @returns the URL it would have come back to */
async function halfWay(world: RolesWorld, jar: CookieJar, person = ATTACKER): Promise<URL> {
  world.discord.user = person;
  return new URL((await jar.visit(world.api.url + START, '/callback')).url);
}

async function nobodyIsConnected(world: RolesWorld): Promise<void> {
  expect(await world.store.connections.due(world.time.now, Number.MAX_SAFE_INTEGER, 10)).toEqual(
    [],
  );
  expect(world.discord.connections.size).toBe(0);
}

describe('a callback is rejected', () => {
  it("in another browser, so that nobody can be made to connect a stranger's account", async () => {
    const world = await rolesWorld();
    const back = await halfWay(world, new CookieJar());
    const other = new CookieJar();
    expect((await other.visit(back.href)).status).toBe(400);
    // Nor in a browser that is on its own way there.
    await halfWay(world, other, VICTIM);
    expect((await other.visit(back.href)).status).toBe(400);
    expect(world.discord.count('token')).toBe(0);
    await nobodyIsConnected(world);
  });

  it("with its own ticket and someone else's code", async () => {
    const world = await rolesWorld();
    const stolen = (await halfWay(world, new CookieJar(), VICTIM)).searchParams.get('code') ?? '';
    const jar = new CookieJar();
    const back = await halfWay(world, jar);
    back.searchParams.set('code', stolen);
    const visit = await jar.visit(back.href);
    expect(visit.status).toBe(400);
    expect(visit.body).toContain(EN.rolePages.refused.about);
    await nobodyIsConnected(world);
  });

  it("when it's repeated", async () => {
    const world = await rolesWorld();
    await world.link(ATTACKER, WHALE);
    const jar = new CookieJar();
    const back = await halfWay(world, jar);
    const ticket = jar.cookiesOf(world.api.url)[COOKIE] ?? '';
    expect((await jar.visit(back.href)).status).toBe(200);
    expect((await jar.visit(back.href)).body).toContain(EN.rolePages.expired.title);
    // Not even with a cookie that was kept: Discord accepts a code once.
    jar.set(world.api.url, COOKIE, ticket);
    const again = await jar.visit(back.href);
    expect(again.status).toBe(400);
    expect(again.body).toContain(EN.rolePages.refused.about);
    expect(jar.cookiesOf(world.api.url)).toEqual({});
  });

  it('when its ten minutes are over', async () => {
    const world = await rolesWorld();
    const jar = new CookieJar();
    const back = await halfWay(world, jar);
    world.time.now += 600_000;
    expect((await jar.visit(back.href)).body).toContain(EN.rolePages.expired.about);
    await nobodyIsConnected(world);
  });

  it('when the clock was set back by hours, instead of staying valid longer', async () => {
    const world = await rolesWorld();
    const jar = new CookieJar();
    const back = await halfWay(world, jar);
    world.time.now -= 7_200_000;
    expect((await jar.visit(back.href)).status).toBe(400);
  });

  it.each([
    ['no state', (back: URL) => back.searchParams.delete('state')],
    ['an empty one', (back: URL) => back.searchParams.set('state', '')],
    ['a wrong one', (back: URL) => back.searchParams.set('state', 'A'.repeat(22))],
    ['one twice', (back: URL) => back.searchParams.append('state', 'A'.repeat(22))],
    ['a long one', (back: URL) => back.searchParams.set('state', 'A'.repeat(1_500))],
    ['no code', (back: URL) => back.searchParams.delete('code')],
    ['an empty code', (back: URL) => back.searchParams.set('code', '')],
    ['a code twice', (back: URL) => back.searchParams.append('code', 'A')],
    ['a code with more in it', (back: URL) => back.searchParams.set('code', 'A&grant_type=x')],
    ['a long code', (back: URL) => back.searchParams.set('code', 'A'.repeat(1_500))],
    ['an error', (back: URL) => back.searchParams.set('error', 'server_error')],
    ['an error that is markup', (back: URL) => back.searchParams.set('error', '<script>')],
  ])('with %s, before Discord hears of it', async (_, change) => {
    const world = await rolesWorld();
    const jar = new CookieJar();
    const back = await halfWay(world, jar);
    change(back);
    const visit = await jar.visit(back.href);
    expect(visit.status).toBe(400);
    expect(visit.body).not.toContain('<script');
    expect(visit.body).not.toContain('AAAA');
    expect(world.discord.count('token')).toBe(0);
    await nobodyIsConnected(world);
  });

  it('with a cookie that was changed anywhere', async () => {
    const world = await rolesWorld();
    const jar = new CookieJar();
    const back = await halfWay(world, jar);
    const ticket = jar.cookiesOf(world.api.url)[COOKIE] ?? '';
    world.time.now += 1;
    const bytes = Buffer.from(ticket, 'base64url');
    const changed = [0, 1, 12, 13, 28, 29, bytes.length - 1].map((at) => {
      const copy = Buffer.from(bytes);
      copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
      return copy.toString('base64url');
    });
    const others = ['', 'A', 'A'.repeat(5_000), ticket.slice(0, -4), `${ticket}AAAA`, '%00', '"'];
    for (const value of [...changed, ...others]) {
      world.time.now += 60_000 / 20;
      jar.set(world.api.url, COOKIE, value);
      expect((await jar.visit(back.href)).status, value.slice(0, 60)).toBe(400);
    }
    expect(world.discord.count('token')).toBe(0);
    // The right one still works.
    jar.set(world.api.url, COOKIE, ticket);
    expect((await jar.visit(back.href)).status).toBe(200);
  });

  it("with another instance's ticket", async () => {
    const [one, other] = [await rolesWorld(), await rolesWorld()];
    const jar = new CookieJar();
    const back = await halfWay(one, jar);
    const secret = 'another_client-secret_0123456789';
    const { token, apiUrl } = other.discord;
    const foreign = other.another({
      open: openLinkedRoles({ rest: new BotRest({ token, apiUrl }), apiUrl, clientSecret: secret }),
    });
    const api = await openApi({ register: (app) => foreign.register(app) });
    jar.set(api.url, COOKIE, jar.cookiesOf(one.api.url)[COOKIE] ?? '');
    expect((await jar.visit(`${api.url}${CALLBACK}${back.search}`)).status).toBe(400);
    await api.close();
  });
});

describe('the pages redirect only to Discord', () => {
  it.each([
    '?redirect_uri=https://evil.example',
    '?next=//evil.example&url=https://evil.example&return_to=/%5cevil.example',
    '?client_id=1&scope=bot&state=x&response_type=token',
    '/?x=%0d%0aLocation:%20https://evil.example',
    '//evil.example',
  ])('with anything appended: %s', async (suffix) => {
    const world = await rolesWorld();
    const answer = await world.api.get(START + suffix);
    if (answer.status !== 302) return expect(answer.status).toBe(404);
    const url = new URL(answer.headers.get('location') ?? '');
    expect(url.origin + url.pathname).toBe(world.discord.authorizeUrl);
    expect(url.searchParams.get('redirect_uri')).toBe(world.api.url + CALLBACK);
    expect(url.searchParams.getAll('scope')).toEqual(['role_connections.write identify']);
    expect(url.href).not.toContain('evil');
  });

  it('and back to the configured URL only, whatever Host says', async () => {
    const world = await rolesWorld();
    const answer = await askAs('evil.example', world.api.port);
    expect(answer).toMatch(/^HTTP\/1\.1 302/);
    expect(answer).not.toContain('evil.example');
    expect(answer).toContain(encodeURIComponent(world.api.url + CALLBACK));
  });
});

describe("one member's stored data is useless for another", () => {
  it("tokens moved to another row can't be opened", async () => {
    const world = await rolesWorld();
    await world.link(VICTIM, TITAN);
    await world.connect(VICTIM);
    await world.connect(ATTACKER);
    const stolen = await world.store.connections.find(VICTIM.id);
    const own = await world.store.connections.find(ATTACKER.id);
    if (stolen === undefined || own === undefined) throw new Error('not connected');
    await world.store.connections.replaceTokens(ATTACKER.id, own.version, stolen.tokens);
    world.discord.asked.length = 0;
    await world.link(ATTACKER, WHALE);
    world.roles.begin();
    await world.pass(601);
    expect(world.discord.known(VICTIM)).toMatchObject({ metadata: { score: '12345' } });
    expect(world.discord.known(ATTACKER)).toBeUndefined();
    expect(world.discord.count('put')).toBe(0);
  });

  it('neither token is readable in the store', async () => {
    const world = await rolesWorld();
    await world.connect(VICTIM);
    const row = await world.store.connections.find(VICTIM.id);
    const bytes = Buffer.from(row?.tokens ?? []).toString('latin1');
    expect(bytes.length).toBeGreaterThan(60);
    for (const secret of world.discord.grants.secrets) expect(bytes).not.toContain(secret);
    // Encrypted differently each time: equal tokens don't look equal.
    await world.connect(ATTACKER);
    const other = await world.store.connections.find(ATTACKER.id);
    expect(other?.tokens.slice(1, 13)).not.toEqual(row?.tokens.slice(1, 13));
  });

  it('an export contains no token', async () => {
    const world = await rolesWorld();
    await world.link(VICTIM, WHALE);
    await world.connect(VICTIM);
    const record = await world.linksOf(VICTIM).record();
    expect(record.connection).toMatchObject({
      connectedAt: world.time.now / 1000,
      shown: { name: shortAddress(WHALE.address), wallets: [WHALE.address] },
    });
    expect(record.connection).not.toHaveProperty('tokens');
  });
});

describe("strangers can't make Discord ban us", () => {
  it('with invalid codes: only so many a minute are checked', async () => {
    let clients = 0;
    const world = await rolesWorld({ changes: { clientOf: () => String(clients++) } });
    const jar = new CookieJar();
    const back = await halfWay(world, jar);
    const ticket = jar.cookiesOf(world.api.url)[COOKIE] ?? '';
    back.searchParams.set('code', 'wrong');
    const attempts = Array.from({ length: 320 }, async () => {
      const Cookie = `${COOKIE}=${ticket}`;
      return (await fetch(back, { headers: { Cookie } })).status;
    });
    const statuses = await Promise.all(attempts);
    expect(world.discord.count('token')).toBe(300);
    expect(statuses.filter((status) => status === 503)).toHaveLength(20);
  });

  it("while the bot token is rejected: it isn't used again for a while", async () => {
    const world = await rolesWorld();
    world.discord.upset('application', { status: 401, body: { message: 'no' } }, 99);
    for (let i = 0; i < 10; i += 1) {
      const answer = await world.api.get(START);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    world.time.now += 60_000;
    expect((await world.api.get(START)).status).toBe(503);
    expect(world.discord.count('application')).toBe(1);
    world.discord.calm();
    world.time.now += 240_000;
    expect((await world.api.get(START)).status).toBe(302);
  });

  it('while the client secret is rejected', async () => {
    const world = await rolesWorld();
    world.discord.upset('token', { status: 401, body: { error: 'invalid_client' } }, 99);
    for (let i = 0; i < 3; i += 1) {
      const jar = new CookieJar();
      expect((await world.connect(VICTIM, jar)).status).toBe(503);
    }
    expect(world.discord.count('token')).toBe(1);
    expect(world.said().join('\n')).toContain('Discord rejects DISCORD_CLIENT_SECRET');
  });
});

/** A request with another Host header than fetch would send. */
function askAs(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
    socket.write(`GET ${START} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}
