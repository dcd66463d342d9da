import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { passSecond } from '../../../../bench/servers/discord/ids.ts';
import { GatedServer } from '../../../support/discord/gated-server.ts';

/* Bots that give roles back, such as those that remember them: what a moderator took stays taken by the rules. */

const { events } = textsFor('en').gate;

/** A server where a moderator has taken a role that a rule gave, and another bot that gives roles. */
async function scene(options: { membersIntent?: boolean } = {}) {
  const server = await GatedServer.open(options);
  const whales = server.guild.addRole('Whales');
  const [vera, mod] = [server.guild.addMember('vera'), server.guild.addMember('mod')];
  const sticky = server.guild.addMember('sticky', [], { bot: true });
  await server.rule(whales);
  await server.links(vera, 6000);
  await server.uses(vera);
  const { discord } = server;
  const reports = options.membersIntent === true ? 2 : 1;
  await server.hears(() => discord.changeRoles('take', vera, whales, mod), reports);
  const { community, store } = server.world;
  return {
    ...{ server, whales, vera, mod, sticky },
    barred: async () => (await store.gating.barsOf(community, [vera.id])).map(({ by }) => by),
    gives: async (by = sticky) =>
      await server.hears(() => discord.changeRoles('give', vera, whales, by), reports),
    /** Every way in which the bot looks at them. */
    looks: async () => {
      await server.uses(vera);
      await server.type('gate why', { member: vera.id });
      await server.type('gate run');
      await server.watch.idle();
    },
  };
}

it.each([true, false])(
  'What another bot gives ends no bar, and the log says so once (members intent: %s)',
  async (membersIntent) => {
    const { server, whales, vera, mod, sticky, barred, gives, looks } = await scene({
      membersIntent,
    });
    await gives();
    await looks();
    server.discord.noteAgain(server.guild.noted.length - 1);
    await looks();
    expect(await barred()).toEqual([`discord:${mod.id}`]);
    expect(server.has(vera, whales)).toBe(true);
    const log = await server.world.store.gating.logOf(server.world.community, vera.id, 100, 0);
    const kept = log.filter(({ event }) => event === 'bar-kept');
    expect(kept.map(({ by }) => by)).toEqual([`discord:${sticky.id}`]);
    expect(await server.type('gate log')).toContain(events['bar-kept']);
    server.discord.changeRoles('take', vera, whales, sticky);
    await looks();
    expect(server.has(vera, whales)).toBe(false);
  },
);

it('The same goes for what it gave while the bot was off, though it has left since', async () => {
  const { server, whales, vera, mod, sticky, barred, looks } = await scene();
  await server.restart(() => {
    server.discord.changeRoles('give', vera, whales, sticky);
    server.discord.leave(sticky);
  });
  await looks();
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it('A person who gives it after the bot did ends the bar, also one who has left since', async () => {
  const { server, whales, vera, mod, sticky, barred } = await scene();
  await server.restart(() => {
    server.discord.changeRoles('give', vera, whales, sticky);
    server.discord.changeRoles('take', vera, whales, sticky);
    passSecond();
    server.discord.changeRoles('give', vera, whales, mod);
    server.discord.leave(mod);
  });
  await server.uses(vera);
  expect(await barred()).toEqual([]);
  expect(server.discord.rest.counts.user).toBe(2);
});

it('Until Discord says who it was, the bar stands and rules give nothing', async () => {
  const { server, whales, vera, mod, barred, gives, looks } = await scene();
  server.discord.rest.upset('user', { status: 500 }, 100);
  await gives();
  await looks();
  expect(await barred()).toEqual([`discord:${mod.id}`]);
  passSecond();
  await gives(mod);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
  server.discord.rest.calm('user');
  await looks();
  expect(await barred()).toEqual([]);
  expect(server.has(vera, whales)).toBe(true);
});

it('Without the permission nobody tells who gave it: having it again ends the bar', async () => {
  const { server, whales, vera, sticky, barred, looks } = await scene();
  server.guild.botRole.permissions &= ~MAY.viewAuditLog;
  await server.restart(() => server.discord.changeRoles('give', vera, whales, sticky));
  await looks();
  expect(await barred()).toEqual([]);
});
