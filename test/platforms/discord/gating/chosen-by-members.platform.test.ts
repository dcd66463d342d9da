import { describe, expect, it } from 'vitest';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { withOneWhale } from '../../../support/discord/gated-server.ts';

/* Members who give themselves what a moderator took, as they can where a role is to be chosen in onboarding. */

/** Entries of its log are dated by their ids. */
function discordNow(): number {
  return Math.floor(Date.now() / 1000);
}

async function scene(membersIntent: boolean) {
  const made = await withOneWhale({ membersIntent });
  const { server, whales, vera, mod } = made;
  const { discord, guild, world } = server;
  const reports = membersIntent ? 2 : 1;
  await server.hears(() => discord.changeRoles('take', vera, whales, mod), reports);
  const roleOfTheirs = (position: number, permissions = 0n) => {
    const role = guild.addRole('Theirs');
    discord.changeRole(role, { position, permissions });
    guild.people.change('give', vera.id, role.id);
  };
  return {
    ...made,
    roleOfTheirs,
    chooses: async () => {
      await server.hears(() => discord.changeRoles('give', vera, whales, vera), reports);
      await server.uses(vera);
    },
    barred: async () =>
      (await world.store.gating.barsOf(world.community, [vera.id])).map(({ by }) => by),
  };
}

describe.each([true, false])('a barred member (members intent: %s)', (membersIntent) => {
  it('who chooses the role in onboarding stays barred, also with a role above it, and the log says so', async () => {
    const { server, whales, vera, mod, roleOfTheirs, chooses, barred } = await scene(membersIntent);
    roleOfTheirs(30);
    server.discord.changeRole(whales, { flags: 1 });
    await chooses();
    expect(await barred()).toEqual([`discord:${mod.id}`]);
    server.discord.changeRole(whales, { flags: 0 });
    server.guild.people.change('take', vera.id, whales.id);
    await server.type('gate run');
    await server.watch.idle();
    expect(server.has(vera, whales)).toBe(false);
    const log = await server.world.store.gating.logOf(server.world.community, vera.id, 100, 0);
    const kept = log.filter(({ event }) => event === 'bar-kept');
    expect(kept.map(({ by }) => by)).toEqual([`discord:${vera.id}`]);
  });

  it('who may give the role to anybody may give it to themselves', async () => {
    const { roleOfTheirs, chooses, barred } = await scene(membersIntent);
    roleOfTheirs(30, MAY.manageRoles);
    await chooses();
    expect(await barred()).toEqual([]);
  });
});

it('A role that Discord doesn’t say who gave ends no bar', async () => {
  const { server, whales, vera, mod, barred } = await scene(false);
  const nobody = { ...mod, id: null } as unknown as typeof mod;
  await server.hears(() => server.discord.changeRoles('give', vera, whales, nobody));
  await server.uses(vera);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it.each([true, false])(
  'Who gives up a role in onboarding is not barred from it (members intent: %s)',
  async (membersIntent) => {
    const { server, whales, vera } = await withOneWhale({ membersIntent });
    const { discord, world } = server;
    world.now = discordNow();
    const bars = async () => await world.store.gating.barsOf(world.community, [vera.id]);
    await server.hears(
      () => discord.changeRoles('take', vera, whales, vera),
      membersIntent ? 2 : 1,
    );
    expect(await bars()).toEqual([]);
    await server.type('gate run');
    await server.uses(vera);
    expect(await bars()).toEqual([]);
    expect(server.has(vera, whales)).toBe(true);
  },
);

it('Nor is who was seen without it before Discord told who had taken it', async () => {
  const { server, whales, vera } = await withOneWhale();
  const { discord, guild, world } = server;
  const bars = async () => await world.store.gating.barsOf(world.community, [vera.id]);
  world.now = discordNow();
  guild.people.change('take', vera.id, whales.id);
  await server.type('gate why', { member: vera.id });
  expect(await bars()).toHaveLength(1);
  await server.hears(() => discord.changeRoles('take', vera, whales, vera));
  expect(await bars()).toEqual([]);
});

it('Giving it up ends no bar that was there before', async () => {
  const { server, whales, vera } = await withOneWhale();
  const { discord, guild, world } = server;
  const bars = async () => await world.store.gating.barsOf(world.community, [vera.id]);
  guild.people.change('take', vera.id, whales.id);
  await server.type('gate why', { member: vera.id });
  world.now = discordNow();
  discord.changeRole(whales, { flags: 1 });
  await server.hears(() => discord.changeRoles('give', vera, whales, vera));
  await server.hears(() => discord.changeRoles('take', vera, whales, vera));
  expect((await bars()).map(({ by }) => by)).toEqual([undefined]);
});

it('A moderator’s own role that they take from themselves stays taken', async () => {
  const { server, whales, vera } = await withOneWhale();
  const { discord, guild, world } = server;
  const chiefs = guild.addRole('Chiefs', { position: 40, permissions: MAY.manageRoles });
  discord.changeRole(chiefs, {});
  guild.people.change('give', vera.id, chiefs.id);
  await server.hears(() => discord.changeRoles('take', vera, whales, vera));
  const bars = await world.store.gating.barsOf(world.community, [vera.id]);
  expect(bars.map(({ by }) => by)).toEqual([`discord:${vera.id}`]);
});
