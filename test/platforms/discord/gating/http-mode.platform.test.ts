import { expect, it } from 'vitest';
import { answered } from '../../../support/discord/answered.ts';
import { withOneWhale } from '../../../support/discord/gated-server.ts';
import { textOf } from '../../../support/discord/read.ts';

/* With DISCORD_MODE=http, nothing but Discord's audit log tells what moderators do by hand. */

async function scene(membersIntent = false) {
  const { server, whales, vera, mod } = await withOneWhale({ http: true, membersIntent });
  const { community, store } = server.world;
  const takes = () => server.discord.changeRoles('take', vera, whales, mod);
  const barred = async () => (await store.gating.barsOf(community, [vera.id])).map(({ by }) => by);
  return { server, whales, vera, mod, takes, barred };
}

it('Over HTTP, a role that was just taken stays so for who leaves and comes back at once', async () => {
  const { server, whales, vera, mod, takes, barred } = await scene();
  takes();
  server.discord.leave(vera);
  server.discord.join(vera);
  await server.uses(vera);
  await server.links(vera, 6_001);
  await server.type('gate run');
  expect(server.has(vera, whales)).toBe(false);
  expect(await barred()).toEqual([`discord:${mod.id}`]);
});

it('Over HTTP, a role that is taken once a run has read the log stays so for who is back before it gives', async () => {
  const { server, whales, vera, takes, barred } = await scene(true);
  server.world.now += 60;
  const { guild } = server.discord;
  const audit = guild.audit.bind(guild);
  let reads = 0;
  guild.audit = (...asked) => {
    const page = audit(...asked);
    reads += 1;
    // The first page has what the bot gave, the second one nothing.
    if (reads === 2) {
      takes();
      server.discord.leave(vera);
      server.discord.join(vera);
    }
    return page;
  };
  await server.type('gate run');
  expect(server.has(vera, whales)).toBe(false);
  expect(await barred()).toHaveLength(1);
});

it.each([
  ['gate why', true],
  ['gate list', false],
])('Over HTTP, /%s names who has just taken a role', async (command, isAbout) => {
  const { server, whales, vera, mod, takes } = await scene();
  await server.type(command, isAbout ? { member: vera.id } : {});
  takes();
  const shown = await server.type(command, isAbout ? { member: vera.id } : {});
  expect(shown).toContain(`<@${mod.id}>`);
  await server.type('gate unbar', { member: vera.id, role: whales.id });
  expect(server.has(vera, whales)).toBe(true);
});

it('Over HTTP, /gate bar lasts through a restart, unlinking and a return', async () => {
  const { server, whales, vera, takes } = await scene();
  await server.type('gate bar', { member: vera.id });
  takes();
  await server.restart(() => {
    server.discord.leave(vera);
    server.discord.join(vera);
  });
  await server.uses(vera);
  await server.links(vera, 6_001);
  await server.type('gate run');
  expect(server.has(vera, whales)).toBe(false);
  await server.type('gate unbar', { member: vera.id });
  expect(server.has(vera, whales)).toBe(true);
});

it('Over HTTP, members and moderators read the name that a role has now', async () => {
  const { server, whales, vera } = await scene();
  const { guild, discord } = server;
  const access = async () => {
    const { seen } = await answered(() => discord.command('access', {}, { by: vera }));
    return textOf(seen[0]);
  };
  expect(await access()).toContain('Whales');
  // Nobody reports it, and the process starts without what the other one knew.
  await server.restart(() => guild.roles.set(whales.id, { ...whales, name: 'Deep Sea' }));
  expect(await access()).toContain('Deep Sea');
  await server.restart(() => guild.roles.set(whales.id, { ...whales, name: 'Abyss', flags: 1 }));
  const list = await server.type('gate list');
  expect(list).toContain('Abyss');
  expect(list).not.toContain('Deep Sea');
});
