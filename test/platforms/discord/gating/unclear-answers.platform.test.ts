import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { UnreachableCommunity } from '#gating/platform';
import { GUILD, type User } from '../../../../bench/servers/discord/world.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';
import { GatedServer } from '../../../support/discord/gated-server.ts';

/* What Discord says of a server, or says without reason, isn't an answer about a member of it. */

const { gate } = textsFor('en');
type Look = 'member' | 'guild';
const UNCLEAR: [string, Look, number, number][] = [
  ['the server is unknown', 'member', 404, 10004],
  ['the bot has no access', 'member', 403, 50001],
  ['the bot lacks a permission', 'member', 403, 50013],
  ['a code is new', 'member', 404, 19999],
  ['a refusal has no code', 'member', 403, 0],
  ['a code of a bad request is new', 'member', 400, 19998],
  ['Discord has trouble', 'member', 503, 0],
  ['the server itself is unknown', 'guild', 404, 10004],
  ['the server itself is closed', 'guild', 403, 50001],
];

function reply(status: number, code: number) {
  return { status, body: { code, message: 'no' } };
}

it.each(UNCLEAR)('A member is unknown while %s', async (_, route, status, code) => {
  const { discord, communityAdapter } = await adapterUp();
  const person = discord.guild.addMember('vera');
  discord.rest.upset(route, reply(status, code), 9);
  await expect(communityAdapter.member(GUILD, person.id, true)).rejects.toThrow(RetryableError);
  discord.rest.calm(route);
  expect(await communityAdapter.member(GUILD, person.id)).toMatchObject({ id: person.id });
});

it.each([10007, 10013])("Code %i says that they aren't a member", async (code) => {
  const { discord, communityAdapter } = await adapterUp();
  const person = discord.guild.addMember('vera');
  discord.rest.upset('member', reply(404, code));
  expect(await communityAdapter.member(GUILD, person.id)).toBeUndefined();
});

it('A server that the bot was removed from is told apart', async () => {
  const { discord, communityAdapter } = await adapterUp();
  const person = discord.guild.addMember('vera');
  discord.guild.hasBot = false;
  await expect(communityAdapter.member(GUILD, person.id, true)).rejects.toThrow(
    UnreachableCommunity,
  );
});

/** A server with a rule, and someone who has got the role by it. */
async function served() {
  const server = await GatedServer.open();
  const whales = server.guild.addRole('Whales');
  await server.rule(whales);
  const person = server.guild.addMember('vera');
  await server.uses(person);
  await server.links(person, 6_000);
  await server.uses(person);
  return { server, whales, person };
}

const knownIn = async ({ world }: GatedServer, { id }: User) =>
  await world.store.gating.member(world.community, id);

it.each(UNCLEAR)('Nothing is forgotten or denied while %s', async (_, route, status, code) => {
  const { server, whales, person } = await served();
  expect(server.has(person, whales)).toBe(true);
  const grants = async () =>
    await server.world.store.gating.grantsOf(server.world.community, [person.id]);
  const before = await grants();
  // Nothing of a minute ago is left to go by.
  server.discord.rest.upset(route, reply(status, code), 99);
  server.watch.linksChanged({ platform: 'discord', id: person.id });
  await server.watch.idle();
  const shown = await server.type('gate why', { member: person.id });
  expect(shown).not.toContain(gate.whyNotHere);
  if (route === 'member') expect(shown).toContain(gate.whyUnchecked);
  await server.world.gated.gating.sweep(server.world.community);
  server.discord.rest.calm(route);
  expect(await knownIn(server, person)).toBeDefined();
  expect(await grants()).toEqual(before);
  expect(server.has(person, whales)).toBe(true);
  expect(await server.type('gate why', { member: person.id })).not.toContain(gate.whyUnchecked);
});

it("A stranger's membership isn't denied while it can't be checked", async () => {
  const { server } = await served();
  const stranger = server.guild.addMember('sam');
  server.discord.rest.upset('member', reply(403, 50001), 99);
  const why = await server.type('gate why', { member: stranger.id });
  expect(why).toContain(gate.whyUnchecked);
  expect(why).not.toContain(gate.whyNotHere);
  const protect = await server.type('gate protect', { member: stranger.id });
  expect(protect).toContain(textsFor('en').errors.platformSilent('Discord', 5));
  expect(protect).not.toContain(textsFor('en').gateErrors['gate-no-member']);
});

it.each<[Look, number, number]>([
  ['member', 400, 19998],
  ['guild', 403, 19997],
])(
  'A look at a %s that Discord refuses for an unknown reason is told with its code',
  async (route, status, code) => {
    const { server } = await served();
    const stranger = server.guild.addMember('sam');
    // What is known of the server is too old to go by.
    await server.restart();
    server.discord.rest.upset(route, reply(status, code), 99);
    const why = await server.type('gate why', { member: stranger.id });
    expect(why).toContain(String(code));
    if (route === 'member') expect(why).toContain(gate.refusedWith(String(code)));
    const protect = await server.type('gate protect', { member: stranger.id });
    expect(protect).toContain(textsFor('en').errors.platformRefused('Discord', String(code), 5));
    const logged = server.bot.lines.filter(
      ({ level, fields }) => level === 'warn' && fields.code === code,
    );
    expect(logged).not.toEqual([]);
  },
);
