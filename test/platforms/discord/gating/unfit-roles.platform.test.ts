import { describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { MAY, type Role } from '../../../../bench/servers/discord/guild.ts';
import { BOT } from '../../../../bench/servers/discord/world.ts';
import { GatedServer } from '../../../support/discord/gated-server.ts';

/* Roles that rules must not decide about: when a rule is added, and when they become so later. */

const UNFIT: readonly [
  string,
  Partial<Role>,
  'onboarding-role' | 'linked-role' | 'unknown-role-property',
][] = [
  ['members can choose in onboarding', { flags: 1 }, 'onboarding-role'],
  ['only Discord gives', { tags: { guild_connections: null } }, 'linked-role'],
  ['has a flag from after this version', { flags: 4 }, 'unknown-role-property'],
  ['has a permission from after this version', { permissions: 1n << 60n }, 'unknown-role-property'],
];

describe.each(UNFIT)('a role that %s', (_, change, blocker) => {
  it.each(LANGUAGES)('is refused by /gate add in %s', async (language) => {
    const server = await GatedServer.open();
    const role = server.guild.addRole('Whales', change);
    const shown = await server.type('gate add', { role: role.id, tier: 'whale' }, language);
    const { gate } = textsFor(language);
    expect(shown).toContain(gate.cantTitle);
    expect(shown).toContain(gate.blockers[blocker]);
    expect(await server.world.gated.gating.rulesOf(server.world.community)).toEqual([]);
  });

  it('pauses a rule that gives it already, and is taken from nobody', async () => {
    const server = await GatedServer.open();
    const { gate } = textsFor('en');
    const role = server.guild.addRole('Whales');
    await server.rule(role);
    const vera = server.guild.addMember('vera');
    await server.links(vera, 6_000);
    expect(server.has(vera, role)).toBe(true);
    Object.assign(role, change);
    // /gate list says so before any run has met it.
    expect(await server.type('gate list')).toContain(gate.blockers[blocker]);
    await server.links(vera, 10);
    await server.world.hours(30);
    expect(server.has(vera, role)).toBe(true);
    const list = await server.type('gate list');
    expect(list).toContain(gate.paused['not-allowed']);
    expect(list).toContain(gate.blockers[blocker]);
    expect(await server.type('gate log')).toContain(gate.blockers[blocker]);
    const max = server.guild.addMember('max');
    await server.links(max, 6_000);
    expect(server.has(max, role)).toBe(false);
    Object.assign(role, { flags: 0, tags: undefined, permissions: 0n });
    await server.type('gate run');
    expect(server.has(max, role)).toBe(true);
    expect(server.has(vera, role)).toBe(true);
  });
});

it.each(LANGUAGES)(
  '/gate add says in %s that channels give the role power, and adds the rule',
  async (language) => {
    const server = await GatedServer.open();
    const { gate } = textsFor(language);
    const role = server.guild.addRole('Whales');
    server.guild.addChannel().gives.set(role.id, MAY.manageMessages);
    const shown = await server.type('gate add', { role: role.id, tier: 'whale' }, language);
    expect(shown).toContain(gate.addedTitle);
    expect(shown).toContain(gate.cautions['channel-power']);
    // Others may have given it since.
    const list = await server.type('gate list', {}, language);
    expect(list).toContain(gate.cautions['channel-power']);
    server.discord.rest.upset('channels', { status: 403, body: { code: 50013, message: 'No' } });
    expect(await server.type('gate list', {}, language)).toContain(
      gate.cautions['maybe-channel-power'],
    );
  },
);

it.each(LANGUAGES)(
  '/gate setup says in %s that channels give an existing role power',
  async (language) => {
    const server = await GatedServer.open();
    const { gate } = textsFor(language);
    const [given, other] = [server.guild.addRole('Whale'), server.guild.addRole('Titan')];
    const channel = server.guild.addChannel();
    channel.gives.set(given.id, MAY.manageMessages);
    channel.gives.set(other.id, MAY.sendMessages);
    const plan = await server.type('gate setup', {}, language);
    expect(plan.split(gate.cautions['channel-power']).length).toBe(2);
  },
);

it('runs look at no channels', async () => {
  const server = await GatedServer.open();
  const role = server.guild.addRole('Whales');
  await server.rule(role);
  const before = server.discord.rest.counts.channels;
  await server.type('gate run');
  await server.world.hours(30);
  expect(server.discord.rest.counts.channels).toBe(before);
});

describe("two-factor authentication that a server demands of the bot's owner", () => {
  it.each(LANGUAGES)('is said by /gate add in %s, with who can turn it on', async (language) => {
    const server = await GatedServer.open();
    const { gate } = textsFor(language);
    const role = server.guild.addRole('Whales');
    server.guild.mfaLevel = 1;
    server.guild.ownerHasTwoFactor = false;
    const add = () => server.type('gate add', { role: role.id, tier: 'whale' }, language);
    expect(await add()).toContain(gate.blockers['needs-2fa']);
    server.guild.ownerHasTwoFactor = true;
    server.discord.rest.upset('me', { status: 200, body: BOT });
    const unsure = await add();
    expect(unsure).toContain(gate.addedTitle);
    expect(unsure).toContain(gate.cautions['maybe-needs-2fa']);
    expect(await add()).not.toContain(gate.cautions['maybe-needs-2fa']);
  });

  it('pauses a rule for that reason once it is demanded, until the owner has turned it on', async () => {
    const server = await GatedServer.open();
    const { gate } = textsFor('en');
    const role = server.guild.addRole('Whales');
    await server.rule(role);
    server.guild.mfaLevel = 1;
    server.guild.ownerHasTwoFactor = false;
    await server.world.pass();
    const list = await server.type('gate list');
    expect(list).toContain(gate.paused['needs-2fa']);
    expect(list).toContain(gate.blockers['needs-2fa']);
    expect(server.discord.rest.counts.give).toBe(0);
    server.guild.ownerHasTwoFactor = true;
    await server.type('gate run');
    expect(await server.type('gate list')).not.toContain(gate.paused['needs-2fa']);
  });
});
