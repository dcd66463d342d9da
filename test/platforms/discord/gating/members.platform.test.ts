import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { snowflake } from '../../../../bench/servers/discord/ids.ts';
import { BOT, GUILD, user } from '../../../../bench/servers/discord/world.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';

/** All listed members, page by page. */
async function listed(
  communityAdapter: CommunityAdapter,
  signal = new AbortController().signal,
): Promise<(readonly Member[])[]> {
  const pages: (readonly Member[])[] = [];
  for await (const page of communityAdapter.members(GUILD, signal) ?? []) pages.push(page);
  return pages;
}

describe('a member', () => {
  it('has their name and roles', async () => {
    const { discord, communityAdapter } = await adapterUp();
    const role = discord.guild.addRole('Whales');
    const named = user('vera', { global_name: 'Vera 🐋' });
    discord.guild.people.join(named, [role.id]);
    const plain = discord.guild.addMember('plain');
    expect(await communityAdapter.member(GUILD, named.id)).toEqual({
      id: named.id,
      name: 'Vera 🐋',
      grants: [role.id],
      isAdmin: false,
      joinedAt: Date.parse('2026-01-01T00:00:00Z') / 1000,
    });
    expect(await communityAdapter.member(GUILD, plain.id)).toMatchObject({
      name: 'plain',
      grants: [],
    });
  });

  it("has their roles' current permissions, if requested", async () => {
    const { discord, communityAdapter } = await adapterUp();
    const { guild } = discord;
    const helper = guild.addRole('Helper');
    const person = guild.addMember('vera', [helper]);
    expect(await communityAdapter.member(GUILD, person.id)).toMatchObject({ isAdmin: false });
    helper.permissions = MAY.administrate;
    expect(await communityAdapter.member(GUILD, person.id, true)).toMatchObject({ isAdmin: true });
  });

  it('decides about members by Manage Roles or more, while it lasts', async () => {
    const { discord, communityAdapter, pass } = await adapterUp();
    const { guild } = discord;
    const helper = guild.addRole('Helper', { permissions: MAY.manageRoles });
    const people = [guild.addMember('a', [helper]), guild.addMember('b'), guild.owner];
    const moderators = async () =>
      await Promise.all(people.map(({ id }) => communityAdapter.moderates(GUILD, id)));
    expect(await moderators()).toEqual([true, false, true]);
    helper.permissions = 0n;
    pass(60_000);
    expect(await moderators()).toEqual([false, false, true]);
    expect(await communityAdapter.moderates(GUILD, snowflake())).toBe(false);
  });

  it('is a manager by a role, or as the owner', async () => {
    const { discord, communityAdapter } = await adapterUp();
    const { guild } = discord;
    const admin = guild.addRole('Admin', { permissions: MAY.administrate });
    const helper = guild.addRole('Helper', { permissions: MAY.manageRoles | MAY.ban });
    const manager = guild.addRole('Manager', { permissions: MAY.manageGuild });
    const people = [
      guild.addMember('a', [admin]),
      guild.addMember('b', [helper]),
      guild.addMember('c', [manager]),
      guild.owner,
    ];
    const members = await Promise.all(people.map(({ id }) => communityAdapter.member(GUILD, id)));
    expect(members.map((member) => member?.isAdmin)).toEqual([true, false, true, true]);
  });

  it('costs one call, as roles are cached for a minute', async () => {
    const { discord, communityAdapter, pass } = await adapterUp();
    const { id } = discord.guild.addMember('vera');
    for (let i = 0; i < 5; i++) await communityAdapter.member(GUILD, id);
    expect(discord.rest.counts).toMatchObject({ guild: 1, member: 5 });
    pass(60_000);
    await communityAdapter.member(GUILD, id);
    expect(discord.rest.counts).toMatchObject({ guild: 2, member: 6 });
  });

  it('who has left is undefined', async () => {
    const { discord, communityAdapter } = await adapterUp();
    const person = discord.guild.addMember('vera');
    discord.leave(person);
    expect(await communityAdapter.member(GUILD, person.id)).toBeUndefined();
    expect(await communityAdapter.member('x', person.id)).toBeUndefined();
  });

  it("of a server that Discord doesn't show is unknown", async () => {
    const { discord, communityAdapter } = await adapterUp();
    const person = discord.guild.addMember('vera');
    await expect(communityAdapter.member(snowflake(), person.id)).rejects.toThrow(RetryableError);
  });

  it('with an invalid id is undefined, without a request to Discord', async () => {
    const { discord, communityAdapter } = await adapterUp();
    for (const id of ['', '12', '../roles', `${GUILD}/roles`]) {
      expect(await communityAdapter.member(GUILD, id)).toBeUndefined();
    }
    expect(discord.rest.counts.member).toBe(0);
  });
});

describe('all members', () => {
  it("aren't listed without the intent", async () => {
    const { discord, communityAdapter } = await adapterUp();
    expect(communityAdapter.members(GUILD, new AbortController().signal)).toBeUndefined();
    expect(discord.rest.counts.members).toBe(0);
  });

  it.each([
    [0, 1],
    [997, 1],
    [998, 2],
    [2_500, 3],
  ])('are listed once each, in pages, without bots: %i and the owner', async (crowd, calls) => {
    const { discord, communityAdapter } = await adapterUp({ membersIntent: true });
    const { people, owner, addRole } = discord.guild;
    const whale = addRole.call(discord.guild, 'Whales');
    people.crowd(crowd, (number) => (number % 3 === 0 ? [whale.id] : []));
    const members = (await listed(communityAdapter)).flat();
    expect(members).toHaveLength(crowd + 1);
    expect(new Set(members.map(({ id }) => id)).size).toBe(crowd + 1);
    expect(members.filter(({ grants }) => grants.length > 0)).toHaveLength(Math.ceil(crowd / 3));
    expect(members.find(({ isAdmin }) => isAdmin)?.id).toBe(owner.id);
    expect(members.map(({ id }) => id)).not.toContain(BOT.id);
    expect(discord.rest.counts).toMatchObject({ members: calls, guild: 1 });
  });

  it('stop being listed when nobody is waiting any more', async () => {
    const { discord, communityAdapter } = await adapterUp({ membersIntent: true });
    discord.guild.people.crowd(5_000);
    const stop = new AbortController();
    let pages = 0;
    for await (const page of communityAdapter.members(GUILD, stop.signal) ?? []) {
      pages += page.length > 0 ? 1 : 0;
      stop.abort();
    }
    expect([pages, discord.rest.counts.members]).toEqual([1, 1]);
  });

  it.each([
    ['the intent was switched off meanwhile', 'intent'],
    ['the bot was sent away', 'away'],
    ['Discord has trouble halfway', 'trouble'],
    ['what comes back is no page of Discord’s', 'page'],
    ['pages lead nowhere', 'nowhere'],
  ])("can't be listed now: %s", async (_, what) => {
    const { discord, communityAdapter } = await adapterUp({ membersIntent: true });
    discord.guild.people.crowd(3_000);
    if (what === 'intent') discord.gateway.membersIntent = false;
    if (what === 'away') discord.guild.hasBot = false;
    if (what === 'page') discord.rest.upset('members', { status: 200 }, 9);
    if (what === 'nowhere') {
      const page = discord.guild.members('0', 1_000);
      discord.rest.upset('members', page, 9);
    }
    const pages = communityAdapter.members(GUILD, new AbortController().signal);
    const work = (async () => {
      for await (const page of pages ?? []) {
        if (what === 'trouble') discord.rest.upset('members', { status: 503 }, page.length);
      }
    })();
    await expect(work).rejects.toThrow(RetryableError);
    // The operator needs Discord's reason.
    if (what === 'intent' || what === 'away') await expect(work).rejects.toThrow('50001');
  });
});
