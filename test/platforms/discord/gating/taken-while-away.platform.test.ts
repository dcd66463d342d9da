import { expect, it } from 'vitest';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { GatedServer, withOneWhale } from '../../../support/discord/gated-server.ts';
import { eventually } from '../../../support/eventually.ts';

/* What moderators did by hand while nobody listened, as the server's audit log tells it afterwards. */

async function scene() {
  const { server, whales, vera, mod } = await withOneWhale();
  const { community, store } = server.world;
  return {
    ...{ server, whales, vera, mod },
    barred: async (account = vera.id) =>
      (await store.gating.barsOf(community, [account])).map(({ by }) => by),
    cursor: async () => (await store.gating.settingsOf(community)).auditCursor,
    /** They leave and come back, so that no look tells what a moderator took. */
    returns: () => {
      server.discord.leave(vera);
      server.discord.join(vera);
    },
  };
}

it('A role taken while the bot was down stays taken, whatever the member did meanwhile', async () => {
  const { server, whales, vera, mod, barred, returns } = await scene();
  await server.restart(() => {
    server.discord.changeRoles('take', vera, whales, mod);
    returns();
  });
  await server.uses(vera);
  await server.type('gate run');
  await server.watch.idle();
  expect(server.has(vera, whales)).toBe(false);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
  expect(await server.type('gate list')).toContain(`<@${mod.id}>`);
});

it('It is barred soon after the start though nobody there does anything', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  await server.restart(() => server.discord.changeRoles('take', vera, whales, mod));
  await server.watch.poll();
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it('The same goes for what was taken while its connection was away for good', async () => {
  const { server, whales, vera, mod, barred, returns } = await scene();
  const { gateway } = server.discord;
  const signIns = gateway.counts.identify;
  gateway.forget();
  server.discord.changeRoles('take', vera, whales, mod);
  returns();
  gateway.drop();
  await eventually(() => gateway.counts.identify > signIns);
  // An answer comes after what the new session begins with.
  await server.uses(mod);
  await server.watch.poll();
  await server.type('gate run');
  await server.watch.idle();
  expect(server.has(vera, whales)).toBe(false);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it('Of several entries the last one counts, also of more than a page', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  const will = server.guild.addMember('will');
  await server.restart(() => {
    for (let i = 0; i < 75; i++) {
      server.discord.changeRoles('take', vera, whales, mod);
      server.discord.changeRoles('give', vera, whales, mod);
      server.discord.changeRoles('give', will, whales, mod);
      server.discord.changeRoles('take', will, whales, mod);
    }
  });
  const asked = server.discord.rest.counts.audit;
  await server.uses(vera);
  expect(await barred()).toEqual([]);
  expect(await barred(will.id)).toEqual([`discord:${mod.id}`]);
  expect(server.discord.rest.counts.audit - asked).toBe(5);
});

it('What was lifted since is not read again after a restart', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  await server.hears(() => server.discord.changeRoles('take', vera, whales, mod));
  await server.type('gate unbar', { member: vera.id });
  await server.watch.idle();
  expect(server.has(vera, whales)).toBe(true);
  await server.restart();
  await server.uses(vera);
  expect(await barred()).toEqual([]);
  expect(server.has(vera, whales)).toBe(true);
});

it('Nothing from before the first rule counts, nor what the bot itself took', async () => {
  const server = await GatedServer.open();
  const whales = server.guild.addRole('Whales');
  const [vera, mod] = [server.guild.addMember('vera'), server.guild.addMember('mod')];
  server.discord.changeRoles('give', vera, whales, mod);
  server.discord.changeRoles('take', vera, whales, mod);
  await server.rule(whales);
  await server.links(vera, 6000);
  await server.restart();
  await server.uses(vera);
  expect(server.has(vera, whales)).toBe(true);
  await server.world.gated.gating.release({ platform: 'discord', id: vera.id });
  await server.restart();
  await server.uses(mod);
  await server.watch.poll();
  expect(await server.world.store.gating.barsOf(server.world.community, [vera.id])).toEqual([]);
});

it('A process that died between the report and the bar leaves the entry to the next one', async () => {
  const { server, whales, vera, mod, barred, cursor } = await scene();
  const { gating } = server.world.store;
  const before = await cursor();
  const putBars = gating.putBars.bind(gating);
  let died = false;
  Object.assign(gating, {
    putBars: () => {
      died = true;
      return new Promise(() => undefined);
    },
  });
  server.discord.changeRoles('take', vera, whales, mod);
  await eventually(() => died);
  expect(await cursor()).toBe(before);
  Object.assign(gating, { putBars });
  await server.die();
  await server.uses(vera);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
  expect(await cursor()).not.toBe(before);
});

it('While the log cannot be read after a start, rules give nothing; then they go on', async () => {
  const { server, whales, vera, mod, barred, returns } = await scene();
  const will = server.guild.addMember('will');
  await server.restart(() => {
    server.discord.changeRoles('take', vera, whales, mod);
    returns();
    server.discord.rest.upset('audit', { status: 500 }, 100);
  });
  await server.links(will, 7000);
  await server.uses(vera);
  await server.uses(will);
  expect([vera, will].map((each) => server.has(each, whales))).toEqual([false, false]);
  server.discord.rest.calm('audit');
  await server.type('gate run');
  await server.watch.idle();
  expect([vera, will].map((each) => server.has(each, whales))).toEqual([false, true]);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it('Without the permission nothing is asked, and who acted meanwhile is never known', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  server.guild.botRole.permissions &= ~MAY.viewAuditLog;
  await server.restart(() => server.discord.changeRoles('take', vera, whales, mod));
  const asked = server.discord.rest.counts.audit;
  await server.uses(vera);
  await server.type('gate run');
  await server.watch.idle();
  expect(server.discord.rest.counts.audit).toBe(asked);
  expect(await barred()).toEqual([undefined]);
  server.guild.botRole.permissions |= MAY.viewAuditLog;
  // Runs look at the bot's permissions; the first one with the old ones.
  for (let i = 0; i < 2; i++) await server.type('gate run');
  await server.watch.idle();
  expect(server.discord.rest.counts.audit).toBeGreaterThan(asked);
  expect(await barred()).toEqual([undefined]);
  await server.hears(() => server.discord.changeRoles('give', vera, whales, mod));
  await server.restart(() => server.discord.changeRoles('take', vera, whales, mod));
  await server.uses(vera);
  expect(server.has(vera, whales)).toBe(false);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});
