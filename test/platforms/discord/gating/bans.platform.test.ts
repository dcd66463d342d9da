import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { withOneWhale } from '../../../support/discord/gated-server.ts';

/* What moderators do to members in Discord itself: timeouts, kicks and bans. */

const { gate } = textsFor('en');
/** How moderators send somebody away, and let them come back. */
const WAYS = ['a kick', 'a ban and its end'] as const;

describe.each([
  ['with the members intent', true],
  ['without it', false],
])('%s', (_, membersIntent) => {
  async function scene() {
    const { server, whales, vera, mod } = await withOneWhale({ membersIntent });
    const { discord } = server;
    const { community, store } = server.world;
    return {
      ...{ server, discord, whales, vera, mod },
      barred: async () => (await store.gating.barsOf(community, [vera.id])).map(({ by }) => by),
      /** She is sent away, and comes back once she may. */
      returns: async (way: (typeof WAYS)[number]) => {
        if (way === 'a kick') discord.kick(vera, mod);
        else discord.ban(vera, mod);
        // A run finds her gone.
        await server.type('gate run');
        if (way !== 'a kick') discord.pardon(vera, mod);
        discord.join(vera);
        // An answer comes after what was told before it.
        await server.uses(mod);
        await server.uses(vera);
      },
    };
  }

  it('a timeout takes nothing, keeps nobody from what rules give, and bars nobody', async () => {
    const { server, discord, whales, vera, mod, barred } = await scene();
    const will = server.guild.addMember('will');
    const until = new Date(Date.now() + 3_600_000).toISOString();
    for (const each of [vera, will]) discord.timeOut(each, until, mod);
    await server.uses(mod);
    await server.links(will, 7_000);
    await server.type('gate run');
    discord.timeOut(vera, null, mod);
    await server.uses(mod);
    expect([vera, will].map((each) => server.has(each, whales))).toEqual([true, true]);
    expect(await barred()).toEqual([]);
  });

  it.each(WAYS)('who comes back after %s starts over, and gets what they meet', async (way) => {
    const { server, whales, vera, barred, returns } = await scene();
    await returns(way);
    expect(await barred()).toEqual([]);
    expect(server.has(vera, whales)).toBe(true);
  });

  it.each(WAYS)('a role that was taken by hand before %s stays taken', async (way) => {
    const { server, discord, whales, vera, mod, barred, returns } = await scene();
    discord.changeRoles('take', vera, whales, mod);
    await returns(way);
    await server.type('gate run');
    expect(server.has(vera, whales)).toBe(false);
    expect(await barred()).toEqual([`discord:${mod.id}`]);
  });

  it.each(WAYS)('a bar by command lasts through %s, also set while they are away', async (way) => {
    const { server, discord, whales, vera, barred, returns } = await scene();
    discord.ban(vera);
    await server.type('gate bar', { member: vera.id });
    discord.pardon(vera);
    discord.join(vera);
    await returns(way);
    await server.type('gate run');
    expect(server.has(vera, whales)).toBe(false);
    expect(await barred()).toEqual([`discord:${server.guild.owner.id}`]);
  });

  it('of somebody banned, /gate why shows what happened and no scores', async () => {
    const { server, discord, vera } = await scene();
    discord.ban(vera);
    await server.type('gate run');
    const shown = await server.type('gate why', { member: vera.id });
    expect(shown).toContain(gate.events.given);
    expect(shown).not.toContain('6,000');
  });
});
