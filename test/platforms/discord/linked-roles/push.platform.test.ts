import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { shortAddress } from '#wallet/wallet';
import { user } from '../../../../bench/servers/discord/world.ts';
import { eventually } from '../../../support/eventually.ts';
import { NEWCOMER, NOW, TITAN, WHALE } from '../../../support/fixed-source.ts';
import { addressOf } from '../../../support/import-lines.ts';
import { type RolesWorld, rolesWorld } from '../../../support/linked-roles.ts';

const VERA = user('vera');

/** A world in which someone with a wallet is connected and was updated. */
async function connected(person = VERA, wallet = WHALE): Promise<RolesWorld> {
  const world = await rolesWorld();
  await world.link(person, wallet, NOW - 86_400);
  expect((await world.connect(person)).status).toBe(200);
  world.roles.begin();
  await eventually(() => world.discord.metadata.length > 0);
  world.discord.asked.length = 0;
  return world;
}

describe('Discord is updated at once', () => {
  it('when another wallet is linked', async () => {
    const world = await connected();
    await world.link(VERA, TITAN);
    await eventually(() => world.value('tier', VERA) === '5');
    expect(world.value('linked', VERA)).toBe('2026-06-30T12:00:00Z');
  });

  it('when one of several is unlinked: lowering on request needs no confirmation', async () => {
    const world = await connected();
    await world.link(VERA, TITAN);
    await eventually(() => world.value('tier', VERA) === '5');
    await world.linksOf(VERA).unlink(TITAN);
    await eventually(() => world.value('tier', VERA) === '4');
    expect(world.discord.known(VERA)).toMatchObject({
      platform_username: shortAddress(WHALE.address),
    });
  });

  it('when the last one is unlinked: nothing is left there', async () => {
    const world = await connected();
    await world.linksOf(VERA).unlink(WHALE);
    await eventually(() => world.discord.known(VERA) === undefined);
    // The authorization stays, so a new wallet is filled in automatically.
    await world.link(VERA, TITAN);
    await eventually(() => world.value('tier', VERA) === '5');
  });

  it('even while the source fails, when the last one is unlinked', async () => {
    const world = await connected();
    world.source.upset = () => {
      throw new RetryableError('down');
    };
    await world.linksOf(VERA).unlink(WHALE);
    await eventually(() => world.discord.known(VERA) === undefined);
  });

  it("when the address becomes visible, and when it's hidden again", async () => {
    const world = await connected();
    const short = `${WHALE.address.slice(0, 6)}…${WHALE.address.slice(-4)}`;
    const nameIs = (name: string) => () => world.discord.known(VERA)?.platform_username === name;
    await world.linksOf(VERA).choose('public');
    await eventually(nameIs(short));
    // Hiding it doesn't wait for any source.
    world.source.upset = (reading) => {
      reading.isStale = true;
    };
    await world.linksOf(VERA).choose('hidden');
    await eventually(nameIs('Whale'));
    for (const field of ['score', 'rank', 'badges', 'linked']) {
      expect(world.value(field, VERA)).toBeUndefined();
    }
    expect(world.value('tier', VERA)).toBe('4');
  });

  it("and again with the next round, if it couldn't be", async () => {
    const world = await connected();
    world.discord.upset('put', { status: 500 }, 3);
    await world.link(VERA, TITAN);
    await eventually(() => world.discord.count('put') === 1);
    await world.passUntil(() => world.value('tier', VERA) === '5');
    expect(world.discord.count('put')).toBe(4);
  });
});

describe('periodically,', () => {
  it('Discord is updated with improvements, and not without changes', async () => {
    const world = await connected();
    await world.pass(601);
    await world.pass(601);
    expect(world.discord.count('put')).toBe(0);
    world.source.set(WHALE, { score: 9_500 });
    await world.pass(601);
    await eventually(() => world.value('score', VERA) === '9500');
    expect(world.discord.known(VERA)).toMatchObject({
      platform_username: shortAddress(WHALE.address),
      metadata: { tier: '5' },
    });
    expect(world.discord.count('put')).toBe(1);
  });

  it('all connected members are updated, two at once, however many wait', async () => {
    let clients = 0;
    const world = await rolesWorld({ changes: { clientOf: () => String(clients++) } });
    const people = Array.from({ length: 30 }, (_, i) => user(`member${i}`));
    for (const [i, person] of people.entries()) {
      const wallet = { chain: 'ethereum', address: addressOf('ethereum', 500 + i) } as const;
      world.source.set(wallet, { score: 10 + i });
      await world.link(person, wallet);
      await world.connect(person);
    }
    world.discord.upset('put', { slow: 5 }, 1_000);
    for (const [i] of people.entries()) {
      const wallet = { chain: 'ethereum', address: addressOf('ethereum', 500 + i) } as const;
      world.source.set(wallet, { score: 3_000 + i });
    }
    world.discord.mostAtOnce = 0;
    world.roles.begin();
    await world.pass(601);
    await eventually(() => people.every((each) => Number(world.value('score', each)) >= 3_000));
    expect(world.discord.mostAtOnce).toBe(2);
  });

  it('a round stopped by Discord continues when it may', async () => {
    const world = await connected();
    const other = user('other');
    await world.link(other, TITAN);
    await world.connect(other);
    world.source.set(WHALE, { score: 8_000 });
    world.source.set(TITAN, { score: 13_000 });
    world.discord.asked.length = 0;
    const headers = { 'retry-after': '120' };
    const body = { message: 'You are being rate limited.', retry_after: 120.4, global: true };
    world.discord.upset('put', { status: 429, headers, body });
    await world.pass(601);
    const asked = world.discord.asked.length;
    await world.pass(60);
    // Whatever is due, no request is sent before that time.
    world.source.set(WHALE, { score: 8_001 });
    world.roles.changed({ platform: 'discord', id: VERA.id });
    await eventually(() => world.logged().split('Discord is rate-limiting us').length >= 3);
    expect(world.discord.asked).toHaveLength(asked);
    await world.pass(121);
    await eventually(() => world.value('score', VERA) === '8001');
    await eventually(() => world.value('score', other) === '13000');
  });

  it.each([
    ['is silent', 'silence'],
    ['breaks off', 'drop'],
    ['does it and says nothing', 'lose-answer'],
    ['is slow', { slow: 300 }],
    ['has trouble', { status: 502 }],
    ['has a proxy in front that has trouble', { status: 503, body: '<html>' }],
    ['limits without saying for how long', { status: 429 }],
    ['says nothing that makes sense', { status: 200, body: 'x'.repeat(300_000) }],
  ] as const)("if Discord %s, it's updated later, and nobody is dropped", async (_, trouble) => {
    const world = await connected();
    const roles = trouble === 'silence' ? await world.impatient() : world.roles;
    world.source.set(WHALE, { score: 9_500 });
    world.discord.upset('put', trouble);
    roles.begin();
    await world.pass(601);
    await world.passUntil(() => world.value('score', VERA) === '9500');
    expect(await world.store.connections.find(VERA.id)).toBeDefined();
  });
});

describe('a member who erases their account', () => {
  it('is forgotten here and at Discord, and the grant is revoked', async () => {
    const world = await connected();
    const other = user('other');
    await world.link(other, TITAN);
    await world.connect(other);
    await world.linksOf(VERA).erase();
    expect(await world.store.connections.find(VERA.id)).toBeUndefined();
    await eventually(() => !world.discord.grants.has(VERA));
    expect(world.discord.known(VERA)).toBeUndefined();
    expect((await world.linksOf(VERA).record()).connection).toBeUndefined();
    // No one else is affected.
    expect(world.discord.known(other)).toMatchObject({ metadata: { score: '12345' } });
    expect(await world.store.connections.find(other.id)).toBeDefined();
  });

  it('is forgotten after a week too, when the access token has expired', async () => {
    const world = await connected();
    world.time.now += 8 * 86_400_000;
    await world.linksOf(VERA).erase();
    await eventually(() => !world.discord.grants.has(VERA));
    expect(world.discord.known(VERA)).toBeUndefined();
  });

  it('is forgotten here while Discord is unavailable, and there as soon as it is back', async () => {
    const world = await connected();
    world.discord.upset('delete', { status: 500 }, 99);
    await world.linksOf(VERA).erase();
    expect(await world.store.connections.find(VERA.id)).toBeUndefined();
    expect((await world.linksOf(VERA).record()).connection).toBeUndefined();
    await eventually(() =>
      world.said().some((line) => line.includes('could not tell Discord that a member left')),
    );
    expect(world.discord.known(VERA)).toBeDefined();
    // It isn't left to the process that was asked.
    await world.roles.stop();
    world.discord.calm();
    world.another().begin();
    await world.passUntil(() => world.discord.known(VERA) === undefined);
    await eventually(() => !world.discord.grants.has(VERA));
    await eventually(async () => (await world.store.connections.parting(VERA.id)) === undefined);
  });

  it('is forgotten there too if only the answer to a renewal came before the outage', async () => {
    const world = await connected();
    world.time.now += 8 * 86_400_000;
    world.discord.upset('delete', { status: 500 }, 99);
    world.discord.upset('revoke', 'drop', 1);
    await world.linksOf(VERA).erase();
    await eventually(() =>
      world.said().some((line) => line.includes('could not tell Discord that a member left')),
    );
    world.discord.calm();
    world.another().begin();
    await world.passUntil(() => world.discord.known(VERA) === undefined);
    await eventually(() => !world.discord.grants.has(VERA));
  });

  it('and connects again before Discord is back keeps the new connection', async () => {
    const world = await connected();
    world.discord.upset('delete', { status: 500 }, 99);
    await world.linksOf(VERA).erase();
    await eventually(() =>
      world.said().some((line) => line.includes('could not tell Discord that a member left')),
    );
    await world.connect(VERA);
    expect(await world.store.connections.parting(VERA.id)).toBeUndefined();
    world.discord.calm();
    expect(await world.store.connections.find(VERA.id)).toBeDefined();
  });

  it('leaves nothing behind after three days, whatever Discord does', async () => {
    const world = await connected();
    world.discord.upset('delete', { status: 500 }, 99);
    await world.linksOf(VERA).erase();
    const day = world.time.now / 1000 + 86_400;
    await world.store.links.prune(day);
    expect(await world.store.connections.parting(VERA.id)).toBeDefined();
    await world.store.links.prune(day + 2 * 86_400);
    expect(await world.store.connections.parting(VERA.id)).toBeUndefined();
  });

  it('is said once an outage in the log, however many do so', async () => {
    const world = await connected();
    const [MAX, IDA] = [user('max'), user('ida')];
    for (const each of [MAX, IDA]) await world.connect(each);
    world.discord.upset('delete', { status: 500 }, 99);
    world.discord.upset('revoke', 'drop', 99);
    for (const each of [VERA, MAX, IDA]) await world.linksOf(each).erase();
    const isAbout = (line: string) => line.includes('could not tell Discord that a member left');
    await eventually(() => world.logged().split('\n').filter(isAbout).length >= 3);
    expect(world.said().filter(isAbout)).toHaveLength(1);
  });

  it('in another chat keeps the connection here', async () => {
    const world = await connected();
    await world.store.links.erase({ platform: 'telegram', id: VERA.id }, NOW);
    // Everything due for the member is done before what comes next.
    await world.link(VERA, TITAN);
    await eventually(() => world.value('tier', VERA) === '5');
    expect(world.discord.count('revoke')).toBe(0);
  });
});

describe('the metadata for servers', () => {
  it('is registered once, in both languages', async () => {
    const world = await connected();
    expect(world.discord.metadata).toHaveLength(5);
    expect(world.discord.metadata[1]).toEqual({
      type: 2,
      key: 'tier',
      name: 'Tier',
      name_localizations: { 'es-ES': 'Nivel', 'es-419': 'Nivel' },
      description: 'Minimum tier: 1 Shrimp, 2 Dolphin, 3 Shark, 4 Whale, 5 Titan',
      description_localizations: {
        'es-ES': 'Nivel mínimo: 1 Camarón, 2 Delfín, 3 Tiburón, 4 Ballena, 5 Titán',
        'es-419': 'Nivel mínimo: 1 Camarón, 2 Delfín, 3 Tiburón, 4 Ballena, 5 Titán',
      },
    });
    expect(world.discord.metadata.map(({ key, type }) => [key, type])).toEqual([
      ['score', 2],
      ['tier', 2],
      ['rank', 1],
      ['badges', 2],
      ['linked', 6],
    ]);
    world.another().begin();
    await eventually(() => world.said().some((line) => line.includes('already')));
    expect(world.discord.count('register')).toBe(0);
  });

  it('is registered again if Discord has something else', async () => {
    const world = await connected();
    const [first, ...others] = world.discord.metadata;
    world.discord.metadata = [{ ...first, name: 'Old name' }, ...others];
    world.another().begin();
    await eventually(() => world.discord.metadata[0]?.name === 'Score');
    expect(world.discord.count('register')).toBe(1);
  });

  it("is registered as soon as Discord is available, and the log says once that it's waiting", async () => {
    const world = await rolesWorld();
    world.discord.upset('list', { status: 500 }, 3);
    world.roles.begin();
    await eventually(() => world.discord.metadata.length === 5);
    const waiting = world
      .said()
      .filter((line) => line.includes('Linked Roles: temporarily unavailable'));
    expect(waiting).toHaveLength(1);
  });

  it("doesn't affect members: they're updated even if it's rejected", async () => {
    const world = await rolesWorld();
    await world.link(VERA, WHALE);
    await world.connect(VERA);
    world.discord.upset('register', { status: 403, body: { code: 50001, message: 'no' } }, 999);
    world.roles.begin();
    world.source.set(WHALE, { score: 8_000 });
    await world.pass(601);
    await eventually(() => world.value('score', VERA) === '8000');
    expect(world.discord.metadata).toEqual([]);
  });

  it("is logged if the operator hasn't entered something at Discord", async () => {
    const world = await rolesWorld();
    world.discord.redirectUris = [];
    world.discord.verificationUrl = null;
    world.roles.begin();
    await eventually(() => world.discord.metadata.length === 5);
    const said = world.said().join('\n');
    expect(said).toContain(`${world.api.url}/discord/linked-roles/callback`);
    expect(said).toContain('Linked Roles Verification URL');
  });
});

it('a wallet that a member lost no longer counts for them', async () => {
  const world = await connected(VERA, TITAN);
  const other = user('other');
  await world.link(VERA, NEWCOMER);
  await world.connect(other);
  await eventually(() => world.value('tier', VERA) === '5');
  // As when another account's claim has matured.
  await world.link(other, TITAN);
  await world.pass(601);
  await eventually(() => world.value('tier', VERA) === '1');
  expect(world.value('tier', other)).toBe('5');
});
