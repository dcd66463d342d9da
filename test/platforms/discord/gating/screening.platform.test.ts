import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { user } from '../../../../bench/servers/discord/world.ts';
import { GatedServer } from '../../../support/discord/gated-server.ts';

/* Membership screening: members who haven't accepted a server's rules yet. */

/** A server with a rule for Whales, and one of them, who joins without having accepted its rules. */
async function arranged(
  options: Parameters<typeof GatedServer.open>[0],
  as: true | 'guest' = true,
) {
  const server = await GatedServer.open(options);
  const role = server.guild.addRole('Whales');
  await server.rule(role);
  const vera = user('vera');
  const joins = () => server.discord.join(vera, as);
  return { server, role, vera, joins };
}

describe('with the members intent', () => {
  it.each([
    ['a pending member', true],
    ['a guest of a voice channel', 'guest'],
  ] as const)('%s gets nothing, and their role once they are a member', async (_, as) => {
    const { server, role, vera, joins } = await arranged({ membersIntent: true }, as);
    await server.links(vera, 6_000);
    await server.hears(joins, 2);
    await server.world.pass();
    await server.hears(() => server.discord.rename(vera));
    expect(server.has(vera, role)).toBe(false);
    const { gate } = textsFor('en');
    expect(await server.type('gate why', { member: vera.id })).toContain(gate.skips.pending);
    await server.hears(() => server.discord.accept(vera));
    expect(server.has(vera, role)).toBe(true);
  });

  it('a pending member who links a wallet gets nothing until they have accepted', async () => {
    const { server, role, vera, joins } = await arranged({ membersIntent: true });
    await server.hears(joins, 2);
    await server.links(vera, 6_000);
    expect(server.has(vera, role)).toBe(false);
    await server.hears(() => server.discord.accept(vera));
    expect(server.has(vera, role)).toBe(true);
  });

  it('nothing is lost by a restart before they accept', async () => {
    const { server, role, vera, joins } = await arranged({ membersIntent: true });
    await server.links(vera, 6_000);
    await server.hears(joins, 2);
    await server.restart();
    expect(server.has(vera, role)).toBe(false);
    await server.hears(() => server.discord.accept(vera));
    expect(server.has(vera, role)).toBe(true);
  });

  it('who joined and accepted during a restart gets it with the next pass', async () => {
    const { server, role, vera, joins } = await arranged({ membersIntent: true });
    await server.links(vera, 6_000);
    await server.restart(joins);
    await server.world.pass();
    expect(server.has(vera, role)).toBe(false);
    await server.restart(() => server.discord.accept(vera));
    await server.world.pass();
    expect(server.has(vera, role)).toBe(true);
  });

  it('who joined during a restart gets it when they accept', async () => {
    const { server, role, vera, joins } = await arranged({ membersIntent: true });
    await server.links(vera, 6_000);
    await server.restart(joins);
    await server.hears(() => server.discord.accept(vera));
    expect(server.has(vera, role)).toBe(true);
  });

  it('one who leaves and comes back has to accept again', async () => {
    const { server, role, vera, joins } = await arranged({ membersIntent: true });
    await server.links(vera, 6_000);
    await server.hears(joins, 2);
    await server.hears(() => server.discord.accept(vera));
    await server.hears(() => server.discord.leave(vera));
    await server.hears(joins, 2);
    expect(server.has(vera, role)).toBe(false);
    await server.hears(() => server.discord.accept(vera));
    expect(server.has(vera, role)).toBe(true);
  });

  it('changes of a member who has a role from rules cost no request', async () => {
    const { server, role, vera } = await arranged({ membersIntent: true });
    await server.hears(() => server.discord.join(vera));
    await server.hears(() => server.links(vera, 6_000));
    expect(server.has(vera, role)).toBe(true);
    const before = server.discord.rest.counts.member;
    await server.hears(() => server.discord.rename(vera));
    await server.restart();
    await server.hears(() => server.discord.rename(vera));
    expect(server.discord.rest.counts.member - before).toBe(0);
  });

  it("a rule's own removal, which Discord reports as well, bars nobody", async () => {
    const { server, role, vera } = await arranged({ membersIntent: true });
    await server.hears(() => server.discord.join(vera));
    await server.hears(() => server.links(vera, 6_000));
    await server.links(vera, 10);
    await server.hears(() => server.world.hours(30));
    expect(server.has(vera, role)).toBe(false);
    const { community, store } = server.world;
    expect(await store.gating.barsOf(community, [vera.id])).toEqual([]);
    await server.hears(() => server.links(vera, 6_000));
    expect(server.has(vera, role)).toBe(true);
    // A moderator's is.
    await server.hears(() => server.discord.changeRoles('take', vera, role));
    expect(await store.gating.barsOf(community, [vera.id])).toHaveLength(1);
    expect(server.has(vera, role)).toBe(false);
  });
});

describe('without the members intent', () => {
  it.each([
    ['a pending member', true],
    ['a guest of a voice channel', 'guest'],
  ] as const)('%s gets nothing, and their role at the next look', async (_, as) => {
    const { server, role, vera, joins } = await arranged({}, as);
    await server.links(vera, 6_000);
    joins();
    await server.uses(vera);
    await server.world.pass();
    expect(server.has(vera, role)).toBe(false);
    server.discord.accept(vera);
    await server.uses(vera);
    expect(server.has(vera, role)).toBe(true);
  });

  it('who used commands and linked a wallet before they accepted gets it with the next command', async () => {
    const { server, role, vera, joins } = await arranged({});
    joins();
    await server.uses(vera);
    await server.links(vera, 6_000);
    expect(server.has(vera, role)).toBe(false);
    server.discord.accept(vera);
    await server.uses(vera);
    expect(server.has(vera, role)).toBe(true);
  });

  it('who was seen, left, came back and accepted gets it with the next command', async () => {
    const { server, role, vera, joins } = await arranged({});
    await server.links(vera, 6_000);
    server.discord.join(vera);
    await server.uses(vera);
    expect(server.has(vera, role)).toBe(true);
    server.discord.leave(vera);
    joins();
    server.discord.accept(vera);
    expect(server.has(vera, role)).toBe(false);
    await server.uses(vera);
    expect(server.has(vera, role)).toBe(true);
  });

  it.each([
    ['before they accept', false],
    ['while they do', true],
  ])('nothing is lost by a restart %s', async (_, isMeanwhile) => {
    const { server, role, vera, joins } = await arranged({});
    await server.links(vera, 6_000);
    joins();
    await server.uses(vera);
    const accept = () => server.discord.accept(vera);
    await server.restart(isMeanwhile ? accept : undefined);
    if (!isMeanwhile) accept();
    await server.world.pass();
    expect(server.has(vera, role)).toBe(true);
  });
});
