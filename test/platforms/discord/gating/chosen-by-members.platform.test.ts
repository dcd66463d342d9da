import { describe, expect, it } from 'vitest';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { withOneWhale } from '../../../support/discord/gated-server.ts';

/* Members who give themselves what a moderator took, as they can where a role is to be chosen in onboarding. */

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
