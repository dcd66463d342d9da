import { expect, it } from 'vitest';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { BOT, GUILD } from '../../../../bench/servers/discord/world.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';
import { withOneWhale } from '../../../support/discord/gated-server.ts';
import { eventually } from '../../../support/eventually.ts';

/* What moderators did by hand while a process that runs heard nothing of that server. */

async function scene() {
  const { server, whales, vera, mod } = await withOneWhale();
  const { community, store } = server.world;
  return {
    ...{ server, whales, vera, mod },
    barred: async () => (await store.gating.barsOf(community, [vera.id])).map(({ by }) => by),
    /** A moderator takes the role, and she leaves and comes back, so that no look tells. */
    loses: () => {
      server.discord.changeRoles('take', vera, whales, mod);
      server.discord.leave(vera);
      server.discord.join(vera);
    },
  };
}

it('A role taken while the bot was kicked stays taken once it is invited again', async () => {
  const { server, whales, vera, mod, barred, loses } = await scene();
  server.discord.kickBot();
  // A look meanwhile finds that the bot is away.
  await server.links(vera, 6001);
  loses();
  server.discord.inviteBot();
  await server.uses(vera);
  await server.links(vera, 6002);
  expect(server.has(vera, whales)).toBe(false);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it('So does one that was taken while its connection was lost, before it is back', async () => {
  const { server, whales, vera, mod, barred, loses } = await scene();
  const { gateway } = server.discord;
  gateway.shut = true;
  gateway.drop();
  await eventually(() => !server.isConnected);
  loses();
  server.world.now += 60;
  await server.links(vera, 6001);
  expect(server.has(vera, whales)).toBe(false);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it.each(['its role', 'another role'])(
  'So does one that was taken while the bot mayn’t see the audit log, once %s lets it again',
  async (which) => {
    const { server, whales, vera, mod, barred, loses } = await scene();
    const { botRole } = server.guild;
    const setRights = (permissions: bigint) => {
      botRole.permissions = permissions;
      server.discord.changeRole(botRole, {});
    };
    const { permissions } = botRole;
    setRights(permissions & ~MAY.viewAuditLog);
    loses();
    if (which === 'its role') setRights(permissions);
    else {
      const auditors = server.guild.addRole('Auditors', { permissions: MAY.viewAuditLog });
      server.discord.changeRoles('give', BOT, auditors);
    }
    // An answer comes after what was told before it.
    await server.uses(mod);
    await server.links(vera, 6001);
    expect(server.has(vera, whales)).toBe(false);
    expect(await barred()).toEqual([`discord:${mod.id}`]);
  },
);

it('The audit log is read by the rights that the bot has now, though it was looked at before it was invited anew', async () => {
  const { discord, communityAdapter, pass } = await adapterUp();
  const { guild } = discord;
  const [vera, mod] = [guild.addMember('vera'), guild.addMember('mod')];
  await communityAdapter.locale(GUILD);
  pass(30_000);
  // As where nothing reports it.
  guild.kickBot();
  guild.inviteBot();
  const whales = guild.addRole('Whales');
  discord.changeRoles('take', vera, whales, mod);
  const page = await communityAdapter.handLog?.read(GUILD, '0');
  expect(page?.entries.flatMap(({ changes }) => changes.map(({ by }) => by))).toEqual([mod.id]);
});
