import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { EVERYBODY_MAY } from '../../../../bench/servers/discord/world.ts';
import { answered } from '../../../support/discord/answered.ts';
import { GatedServer, withOneWhale } from '../../../support/discord/gated-server.ts';
import { textOf } from '../../../support/discord/read.ts';

const { gate: TEXTS, gateErrors: ERRORS } = textsFor('en');

async function scene(options: { membersIntent?: boolean } = {}) {
  const { server, whales, vera, mod } = await withOneWhale(options);
  const barred = async () => {
    const { community, store } = server.world;
    return (await store.gating.barsOf(community, [vera.id])).map(({ grant, by }) => [grant, by]);
  };
  return { server, whales, vera, mod, barred };
}

it('A role that a moderator took stays taken although its rule is made again before any check', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  await server.hears(() => server.discord.changeRoles('take', vera, whales, mod));
  expect(await barred()).toEqual([[whales.id, `discord:${mod.id}`]]);
  const [rule] = await server.world.store.gating.rulesOf(server.world.community);
  await server.type('gate remove', { rule: rule?.id ?? '' });
  await server.rule(whales);
  await server.uses(vera);
  await server.type('gate run');
  await server.watch.idle();
  expect(server.has(vera, whales)).toBe(false);
  expect(await server.type('gate list')).toContain(`<@${mod.id}>`);
});

it('Giving it by hand ends the bar, and an entry that arrives again changes nothing', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  await server.hears(() => server.discord.changeRoles('take', vera, whales, mod));
  await server.hears(() => server.discord.changeRoles('give', vera, whales, mod));
  expect(await barred()).toEqual([]);
  server.discord.noteAgain(1);
  await server.hears(() => server.discord.changeRoles('give', vera, whales, mod));
  expect(await barred()).toEqual([]);
  const log = await server.world.store.gating.logOf(server.world.community, vera.id, 100, 0);
  const events = log.map(({ event }) => event).filter((event) => event.endsWith('barred'));
  expect(events).toEqual(['unbarred', 'barred']);
});

it('Who may manage lower roles alone does not lift the bar on their own role, nor anybody’s', async () => {
  const { server, whales } = await scene();
  const { discord, guild } = server;
  discord.changeRole(whales, { position: 30 });
  const keeper = guild.addRole('Keepers', { position: 10, permissions: MAY.manageRoles });
  const lou = guild.addMember('lou', [keeper]);
  await server.links(lou, 7000);
  await server.uses(lou);
  await server.hears(() => discord.changeRoles('take', lou, whales));
  const doing = { by: lou, may: EVERYBODY_MAY | MAY.manageRoles };
  const unbar = async () => {
    const { seen } = await answered(() => discord.command('gate unbar', { member: lou.id }, doing));
    await server.watch.idle();
    return textOf(seen[0]);
  };
  expect(await unbar()).toContain(ERRORS['gate-role-above'].replace('{}', 'Whales'));
  await server.uses(lou);
  expect(server.has(lou, whales)).toBe(false);
  guild.people.change('give', lou.id, guild.addRole('Chiefs', { position: 40 }).id);
  expect(await unbar()).toContain(TEXTS.unbarredTitle);
  expect(server.has(lou, whales)).toBe(true);
});

it('One entry may name several roles, and those without a rule are left alone', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  const crew = server.guild.addRole('Crew');
  const blue = server.guild.addRole('Blue');
  await server.rule(crew);
  await server.hears(() => server.discord.changeRoles('take', vera, [blue, crew, whales], mod));
  const roles = (await barred()).map(([grant]) => grant);
  expect(new Set(roles)).toEqual(new Set([crew.id, whales.id]));
});

it('With the members intent too, the log says once that it was taken, and by whom', async () => {
  const { server, whales, vera, mod, barred } = await scene({ membersIntent: true });
  await server.hears(() => server.discord.changeRoles('take', vera, whales, mod), 2);
  expect(await barred()).toEqual([[whales.id, `discord:${mod.id}`]]);
  const log = await server.world.store.gating.logOf(server.world.community, vera.id, 100, 0);
  expect(log.filter(({ event }) => event === 'barred').map(({ by }) => by)).toEqual([
    `discord:${mod.id}`,
  ]);
});

it('What the bot itself takes and gives bars nobody', async () => {
  const { server, whales, vera, mod, barred } = await scene();
  await server.world.gated.gating.release({ platform: 'discord', id: vera.id });
  expect(server.has(vera, whales)).toBe(false);
  // Its events come in order.
  await server.hears(() => server.discord.changeRoles('take', mod, whales, mod));
  expect(await barred()).toEqual([]);
});

it('Without the permission, rules work, and a hint says what is missing', async () => {
  const server = await GatedServer.open();
  server.guild.botRole.permissions &= ~MAY.viewAuditLog;
  const whales = server.guild.addRole('Whales');
  const shown = await server.type('gate add', { role: whales.id, tier: 'whale' });
  expect(shown).toContain(TEXTS.addedTitle);
  expect(shown).toContain(TEXTS.cautions['no-audit-log']);
  expect(await server.type('gate list')).toContain(TEXTS.cautions['no-audit-log']);
  const vera = server.guild.addMember('vera');
  await server.links(vera, 6000);
  await server.uses(vera);
  expect(server.has(vera, whales)).toBe(true);
});
