import { expect, it } from 'vitest';
import { GatedServer } from '../../../support/discord/gated-server.ts';

/* What a run costs of the calls that Discord allows a bot. */

const MEMBERS = 12;

/** A run that gives a role to many members. @returns calls by route */
async function given(server: GatedServer) {
  const whales = server.guild.addRole('Whales');
  const members = Array.from({ length: MEMBERS }, (_, i) => server.guild.addMember(`vera${i}`));
  for (const member of members) await server.links(member, 6000);
  await server.rule(whales);
  const { counts } = server.discord.rest;
  const before = { ...counts };
  await server.type('gate run');
  await server.watch.idle();
  expect(members.filter((member) => !server.has(member, whales))).toEqual([]);
  return {
    guild: counts.guild - before.guild,
    member: counts.member - before.member,
  };
}

it('A run that gives roles asks about the server a few times, not once for each member', async () => {
  const server = await GatedServer.open({ membersIntent: true });
  const { guild, member } = await given(server);
  expect(member).toBeGreaterThanOrEqual(MEMBERS);
  expect(guild).toBeLessThan(MEMBERS / 2);
});
