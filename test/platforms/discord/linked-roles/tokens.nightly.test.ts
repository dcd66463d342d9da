import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import { openLinkedRoles } from '#platforms/discord/linked-roles/open';
import { BotRest } from '#platforms/discord/rest/bot-rest';
import { user } from '../../../../bench/servers/discord/world.ts';
import { eventually } from '../../../support/eventually.ts';
import { NOW, TITAN, WHALE } from '../../../support/fixed-source.ts';
import { temporaryFolder } from '../../../support/import-cli.ts';
import { type RolesWorld, rolesWorld } from '../../../support/linked-roles.ts';
import { OWN_PROGRAM, ownProgram } from '../../../support/program.ts';

const VERA = user('vera');
const WEEK = 7 * 86_400;

/** Someone who connected a week ago, so their access token has expired, and has linked another wallet. */
async function aWeekLater(file = ':memory:'): Promise<RolesWorld> {
  const world = await rolesWorld({ file });
  await world.link(VERA, WHALE);
  await world.connect(VERA);
  world.time.now += WEEK * 1000;
  world.discord.asked.length = 0;
  return world;
}

async function versionOf(world: RolesWorld): Promise<number | undefined> {
  return (await world.store.connections.find(VERA.id))?.version;
}

it('an access token is used until it expires, and then exchanged', async () => {
  const world = await aWeekLater();
  world.time.now -= 120_000;
  await world.link(VERA, TITAN);
  await eventually(() => world.value('tier', VERA) === '5');
  expect(world.discord.grants.refreshes).toBe(0);
  world.time.now += 120_000;
  await world.linksOf(VERA).unlink(TITAN);
  await eventually(() => world.value('tier', VERA) === '4');
  expect(world.discord.grants.refreshes).toBe(1);
  // The old refresh token is used up; the new one works a week later.
  world.time.now += WEEK * 1000;
  await world.link(VERA, TITAN);
  await eventually(() => world.value('tier', VERA) === '5');
  expect(world.discord.grants.refreshes).toBe(2);
  expect(await versionOf(world)).toBe(3);
});

it('an access token that ends early is exchanged once', async () => {
  const world = await rolesWorld();
  await world.link(VERA, WHALE);
  await world.connect(VERA);
  world.discord.grants.expireAccess();
  await world.link(VERA, TITAN);
  await eventually(() => world.value('tier', VERA) === '5');
  expect(world.discord.grants.refreshes).toBe(1);
});

it("a new token that's rejected too isn't requested again at once", async () => {
  const world = await aWeekLater();
  world.discord.upset('put', { status: 401, body: { message: '401: Unauthorized' } }, 99);
  await world.link(VERA, TITAN);
  await eventually(() => world.discord.count('put') === 1);
  world.roles.begin();
  await world.pass(1_000);
  expect(world.discord.count('put')).toBe(1);
  // Nor is the member dropped for it.
  expect(await world.store.connections.find(VERA.id)).toBeDefined();
  world.discord.calm();
  await world.pass(3_600);
  await eventually(() => world.value('tier', VERA) === '5');
});

it("a member who disconnects in Discord is dropped, and Discord isn't called again", async () => {
  const world = await aWeekLater();
  world.discord.grants.end(VERA);
  await world.link(VERA, TITAN);
  await eventually(async () => (await world.store.connections.find(VERA.id)) === undefined);
  const asked = world.discord.asked.length;
  await world.linksOf(VERA).unlink(TITAN);
  world.roles.begin();
  await eventually(() => world.discord.metadata.length > 0);
  await world.pass(1_000);
  expect(world.discord.asked.slice(asked)).toEqual(['list', 'register']);
  // They connect again, as at first.
  await world.connect(VERA);
  expect(world.value('tier', VERA)).toBe('4');
});

it.each([
  ['has trouble', { status: 500 }],
  ['limits us', { status: 429, body: { retry_after: 5, global: false, message: 'x' } }],
  ['breaks off', 'drop'],
  ['is silent', 'silence'],
  ['refuses the request for another reason', { status: 400, body: { error: 'invalid_request' } }],
  ['refuses our secret', { status: 401, body: { error: 'invalid_client' } }],
  ['sends no tokens', { status: 200, body: {} }],
  ['sends nonsense', { status: 200, body: { access_token: 'a b', refresh_token: 7 } }],
] as const)('while Discord %s during an exchange, nobody is dropped', async (_, trouble) => {
  const world = await aWeekLater();
  const roles = trouble === 'silence' ? await world.impatient() : world.roles;
  world.discord.upset('token', trouble);
  await world.link(VERA, TITAN);
  roles.begin();
  await eventually(() => world.discord.count('token') > 0);
  await world.passUntil(() => world.value('tier', VERA) === '5');
  expect(await world.store.connections.find(VERA.id)).toBeDefined();
});

it("new tokens that the store can't save are used all the same, and saved later", async () => {
  const file = join(temporaryFolder(), 'fathom.db');
  const world = await aWeekLater(file);
  const { store } = world;
  const replace = store.connections.replaceTokens.bind(store.connections);
  let faults = 2;
  const failing = {
    ...store.connections,
    replaceTokens(...given: Parameters<typeof replace>) {
      if (faults-- > 0) throw new RetryableError('the disk is full');
      return replace(...given);
    },
  };
  await world.roles.stop();
  const other = world.another({ store: { links: store.links, connections: failing } });
  other.begin();
  await world.link(VERA, TITAN);
  await world.passUntil(() => world.value('tier', VERA) === '5');
  expect(world.discord.grants.refreshes).toBe(1);
  expect(await versionOf(world)).toBe(2);
  expect(faults).toBeLessThan(0);
});

it("Two processes that exchange the same token both use the first one's", async () => {
  const world = await aWeekLater();
  const other = world.another();
  const account = { platform: 'discord', id: VERA.id } as const;
  // Both have read the old token before either has a new one.
  const both = Promise.withResolvers<void>();
  world.discord.upset('token', { until: both.promise }, 2);
  await world.link(VERA, TITAN);
  other.changed(account);
  await eventually(() => world.discord.count('token') === 2);
  both.resolve();
  await eventually(() => world.value('tier', VERA) === '5');
  await eventually(() => world.discord.count('put') >= 1);
  await world.roles.stop();
  await other.stop();
  expect(world.discord.grants.refreshes).toBe(2);
  expect(await versionOf(world)).toBe(2);
});

it('an erasure during an exchange leaves no grant behind', async () => {
  const world = await aWeekLater();
  const erased = Promise.withResolvers<void>();
  world.discord.upset('token', { until: erased.promise });
  await world.link(VERA, TITAN);
  await eventually(() => world.discord.count('token') === 1);
  await world.store.links.erase({ platform: 'discord', id: VERA.id }, NOW);
  erased.resolve();
  await eventually(() => !world.discord.grants.has(VERA));
  expect(await world.store.connections.find(VERA.id)).toBeUndefined();
  expect(world.value('tier', VERA)).not.toBe('5');
});

it('a connection made again during an exchange stays', async () => {
  const world = await aWeekLater();
  const connected = Promise.withResolvers<void>();
  world.discord.upset('token', { until: connected.promise });
  await world.link(VERA, TITAN);
  await eventually(() => world.discord.count('token') === 1);
  const connecting = world.connect(VERA);
  await eventually(() => world.discord.count('token') === 2);
  connected.resolve();
  await connecting;
  await eventually(() => world.value('tier', VERA) === '5');
  expect(world.discord.count('revoke')).toBe(0);
  world.time.now += WEEK * 1000;
  await world.linksOf(VERA).unlink(TITAN);
  await eventually(() => world.value('tier', VERA) === '4');
});

it('another client secret opens nothing, drops nobody, and is logged once', async () => {
  const world = await rolesWorld();
  await world.link(VERA, WHALE);
  await world.connect(VERA);
  await world.roles.stop();
  const { token, apiUrl } = world.discord;
  const clientSecret = 'another_client-secret_0123456789';
  const other = world.another({
    open: openLinkedRoles({ rest: new BotRest({ token, apiUrl }), apiUrl, clientSecret }),
  });
  other.begin();
  await world.link(VERA, TITAN);
  for (let i = 0; i < 3; i += 1) await world.pass(601);
  expect(world.value('tier', VERA)).toBe('4');
  expect(
    world.said().filter((line) => line.includes('another DISCORD_CLIENT_SECRET')),
  ).toHaveLength(1);
  await other.stop();
  // With the right secret, everything continues.
  world.another().begin();
  await world.pass(601);
  await eventually(() => world.value('tier', VERA) === '5');
});

/** Runs the upkeep on the file in a separate process. */
function start(world: RolesWorld, file: string): ChildProcess {
  const { token, clientSecret, apiUrl } = world.discord;
  const settings = JSON.stringify({ file, token, clientSecret, apiUrl, now: world.time.now });
  const child = spawn(process.execPath, [ownProgram('keepRoles')], {
    env: { ...OWN_PROGRAM, PATH: process.env.PATH, SETTINGS: settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('a process killed after saving new tokens, and before using them, loses nothing', async () => {
  const file = join(temporaryFolder(), 'fathom.db');
  const world = await aWeekLater(file);
  await world.roles.stop();
  await world.link(VERA, TITAN);
  world.discord.upset('put', 'silence');
  const child = start(world, file);
  await eventually(() => world.discord.count('put') === 1);
  await kill(child);
  expect(await versionOf(world)).toBe(2);
  start(world, file);
  await eventually(() => world.value('tier', VERA) === '5');
  expect(world.discord.grants.refreshes).toBe(1);
});

it("a process killed before Discord's response drops the connection cleanly", async () => {
  const file = join(temporaryFolder(), 'fathom.db');
  const world = await aWeekLater(file);
  await world.roles.stop();
  await world.link(VERA, TITAN);
  // Discord has exchanged the token, but the response was lost.
  world.discord.upset('token', 'lose-answer');
  const child = start(world, file);
  await eventually(() => world.discord.count('token') === 1);
  await kill(child);
  expect(await versionOf(world)).toBe(1);
  world.time.now += 120_000;
  start(world, file);
  await eventually(async () => (await world.store.connections.find(VERA.id)) === undefined);
  // The file is intact, and a used token isn't tried forever.
  const db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' });
  db.close();
  expect(world.discord.grants.refreshes).toBe(2);
});
