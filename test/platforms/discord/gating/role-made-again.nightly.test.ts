import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { MAY, type Role } from '../../../../bench/servers/discord/guild.ts';
import { EVERYBODY_MAY } from '../../../../bench/servers/discord/world.ts';
import { answered } from '../../../support/discord/answered.ts';
import { withOneWhale } from '../../../support/discord/gated-server.ts';
import { textOf } from '../../../support/discord/read.ts';
import { eventually } from '../../../support/eventually.ts';

/* A role that somebody deletes and makes again has another id, but it's the same role to everybody who reads it. */

const TEXTS = textsFor('en').gate;

/** Vera had @Whales, a moderator took it, and somebody has deleted the role. */
async function deletedRole() {
  const { server, whales, vera, mod } = await withOneWhale();
  const { guild } = server;
  const manager = guild.addRole('Keepers', { permissions: MAY.manageRoles, position: 5 });
  const keeper = guild.addMember('lou', [manager]);
  await server.hears(() => server.discord.changeRoles('take', vera, whales, mod));
  await server.hears(() => server.discord.deleteRole(whales));
  const { community, store, gated } = server.world;
  const barred = async () => {
    return (await store.gating.barsOf(community, [vera.id])).map(({ grant, by }) => [grant, by]);
  };
  /** What a moderator reads who adds a rule for the role that is there now. */
  const addRule = async (role: Role) =>
    await server.type('gate add', { role: role.id, tier: 'whale' });
  const removeRules = async () => {
    for (const { id } of await gated.gating.rulesOf(community)) {
      await server.type('gate remove', { rule: id });
    }
  };
  return { server, whales, vera, mod, keeper, barred, addRule, removeRules };
}

it('A bar follows to a role of the deleted one’s name, which the moderator is told', async () => {
  const { server, vera, mod, barred, addRule } = await deletedRole();
  const anew = server.guild.addRole('🐋 whales');
  const shown = await addRule(anew);
  expect(shown).toContain(TEXTS.stillBarred);
  expect(shown).toContain(`<@${vera.id}>`);
  await server.uses(vera);
  await server.type('gate run');
  expect(server.has(vera, anew)).toBe(false);
  expect(await barred()).toEqual([[anew.id, `discord:${mod.id}`]]);
  expect(await server.type('gate log')).toContain(TEXTS.events['bar-moved']);
});

it('It ends with /gate unbar, and making the rule again doesn’t bring it back', async () => {
  const { server, vera, barred, addRule, removeRules } = await deletedRole();
  const anew = server.guild.addRole('Whales');
  await addRule(anew);
  await server.type('gate unbar', { member: vera.id, role: anew.id });
  await removeRules();
  expect(await addRule(anew)).not.toContain(TEXTS.stillBarred);
  await server.type('gate run');
  expect(server.has(vera, anew)).toBe(true);
  expect(await barred()).toEqual([]);
});

it('A role of another name isn’t barred by it, and /gate list still names the deleted one', async () => {
  const { server, whales, vera, addRule, removeRules } = await deletedRole();
  await removeRules();
  const sharks = server.guild.addRole('Sharks');
  expect(await addRule(sharks)).not.toContain(TEXTS.stillBarred);
  await server.type('gate run');
  expect(server.has(vera, sharks)).toBe(true);
  const listed = await server.type('gate list');
  expect(listed).toContain(TEXTS.barredHere);
  expect(listed).toContain(whales.name);
  expect(listed).not.toContain(whales.id);
});

it('Beside another role of its name, a new one is barred to nobody, and a caution says so', async () => {
  const { server, whales, vera, mod } = await withOneWhale();
  await server.hears(() => server.discord.changeRoles('take', vera, whales, mod));
  const second = server.guild.addRole('Whales');
  const shown = await server.type('gate add', { role: second.id, tier: 'whale' });
  expect(shown).toContain(TEXTS.cautions['barred-namesake']);
  expect(shown).not.toContain(TEXTS.stillBarred);
});

it('A bar follows to a role of the name that the deleted one had before it was renamed', async () => {
  const { server, whales, vera, mod } = await withOneWhale();
  const { discord, guild } = server;
  await server.hears(() => discord.changeRoles('take', vera, whales, mod));
  discord.changeRole(whales, { name: 'Retired' });
  await eventually(async () => (await server.type('gate list')).includes('Retired'));
  const renamed = guild.roles.get(whales.id) ?? whales;
  const beside = await server.type('gate add', { role: guild.addRole('Whales').id, tier: 'titan' });
  expect(beside).toContain(TEXTS.cautions['barred-namesake']);
  await server.hears(() => discord.deleteRole(renamed));
  const anew = guild.addRole('whales');
  expect(await server.type('gate add', { role: anew.id, tier: 'whale' })).toContain(
    `<@${vera.id}>`,
  );
  await server.type('gate run');
  expect(server.has(vera, anew)).toBe(false);
});

it('Once the other role is deleted, its bars follow before the new one is given', async () => {
  const { server, whales, vera, mod } = await withOneWhale();
  await server.hears(() => server.discord.changeRoles('take', vera, whales, mod));
  await server.links(vera, 10);
  const second = server.guild.addRole('Whales');
  await server.rule(second);
  await server.hears(() => server.discord.deleteRole(whales));
  await server.links(vera, 6000);
  await server.uses(vera);
  await server.type('gate run');
  expect(server.has(vera, second)).toBe(false);
  expect(await server.type('gate list')).toContain(`<@${mod.id}>`);
  await server.type('gate unbar', { member: vera.id, role: second.id });
  expect(server.has(vera, second)).toBe(true);
});

it('A moderator below the deleted role lifts none of its bars with a role that they make, nor gives it by hand', async () => {
  const { server, vera, barred, keeper: lou } = await deletedRole();
  const { discord, guild } = server;
  const type = async (command: string, args: Record<string, string>) => {
    const may = EVERYBODY_MAY | MAY.manageRoles;
    const { seen } = await answered(() => discord.command(command, args, { by: lou, may }));
    return textOf(seen[0]);
  };
  const anew = guild.addRole('Whales', { position: 2 });
  // Whose bar it is now is theirs to choose, if they set one before.
  await type('gate bar', { member: vera.id, role: anew.id });
  expect(await type('gate add', { role: anew.id, tier: 'whale' })).toContain(TEXTS.stillBarred);
  const refused = await type('gate unbar', { member: vera.id, role: anew.id });
  expect(refused).toContain(textsFor('en').gateErrors['gate-role-gone'].split('{}')[0]);
  await server.hears(() => discord.changeRoles('give', vera, anew, lou));
  await server.uses(vera);
  expect(await barred()).toHaveLength(1);
  await server.type('gate unbar', { member: vera.id, role: anew.id });
  expect(await barred()).toEqual([]);
});

it('/gate why says of a deleted role that it is gone, whatever is remembered of who had it', async () => {
  const { server, whales, vera } = await withOneWhale();
  await server.hears(() => server.discord.deleteRole(whales));
  const why = await server.type('gate why', { member: vera.id });
  expect(why).toContain(TEXTS.refusals['no-role']);
  expect(why).not.toContain(TEXTS.holds.ours);
});
