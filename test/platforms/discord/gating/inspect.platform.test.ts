import { PermissionFlagsBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { RuleBlocker } from '#gating/community-adapter';
import { channelCautions } from '#gating/rules/channel-power';
import { roleBlockersOf } from '#platforms/discord/gating/inspect';
import { MAY, type Role, type StandInGuild } from '../../../../bench/servers/discord/guild.ts';
import { snowflake } from '../../../../bench/servers/discord/ids.ts';
import { BOT, EVERYBODY_MAY, GUILD } from '../../../../bench/servers/discord/world.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';

type Case = readonly [
  situation: string,
  /** @returns the role to ask about, if it isn't the given one */
  arrange: (guild: StandInGuild, role: Role) => string | undefined,
  blockers: readonly RuleBlocker[],
];

const withRight = (right: bigint) => (_: StandInGuild, role: Role) => {
  role.permissions = right;
  return undefined;
};

function withFlags(flags: number) {
  return (_: StandInGuild, role: Role) => {
    role.flags = flags;
    return undefined;
  };
}

function withTags(tags: NonNullable<Role['tags']>) {
  return (_: StandInGuild, role: Role) => {
    role.tags = tags;
    return undefined;
  };
}

const CASES: readonly Case[] = [
  ['nothing', () => undefined, []],
  ['that the role is gone', () => snowflake(), ['no-role']],
  ['an id that is none', () => '../../users/@me', ['no-role']],
  [
    'that an integration manages the role',
    (_, role) => {
      role.managed = true;
      return undefined;
    },
    ['managed-role'],
  ],
  ['that the role is everybody’s', () => GUILD, ['managed-role', 'role-with-power']],
  [
    'that the role is above the bot’s',
    (guild, role) => {
      role.position = guild.botRole.position + 1;
      return undefined;
    },
    ['role-too-high'],
  ],
  [
    'that the role is the bot’s own',
    (guild) => guild.botRole.id,
    ['managed-role', 'role-too-high', 'role-with-power'],
  ],
  [
    'that the bot may not manage roles, and the role is too high',
    (guild, role) => {
      guild.botRole.permissions = 0n;
      role.position = 99;
      return undefined;
    },
    ['role-too-high', 'no-manage-roles'],
  ],
  [
    'nothing where the bot is an administrator',
    (guild) => {
      guild.botRole.permissions = MAY.administrate;
      return undefined;
    },
    [],
  ],
  [
    'nothing where everybody may manage roles',
    (guild) => {
      guild.botRole.permissions = 0n;
      const everybody = guild.roles.get(GUILD);
      if (everybody !== undefined) everybody.permissions = MAY.manageRoles;
      return undefined;
    },
    [],
  ],
  ['nothing where it only lets members react', withRight(MAY.addReactions), []],
  ['mentions of everybody', withRight(MAY.mentionEveryone), ['role-with-power']],
  ['management of messages', withRight(MAY.manageMessages), ['role-with-power']],
  ['management of threads', withRight(MAY.manageThreads), ['role-with-power']],
  ['management of nicknames', withRight(MAY.manageNicknames), ['role-with-power']],
  ['management of events', withRight(MAY.manageEvents), ['role-with-power']],
  ['management of emoji', withRight(MAY.manageExpressions), ['role-with-power']],
  ['the audit log', withRight(MAY.viewAuditLog), ['role-with-power']],
  ['the income of the server', withRight(MAY.viewMonetization), ['role-with-power']],
  ['muting', withRight(MAY.mute), ['role-with-power']],
  ['deafening', withRight(MAY.deafen), ['role-with-power']],
  ['moving', withRight(MAY.move), ['role-with-power']],
  ['pins', withRight(MAY.pinMessages), ['role-with-power']],
  ['administration', withRight(MAY.administrate), ['role-with-power']],
  ['management of the server', withRight(MAY.manageGuild), ['role-with-power']],
  ['management of roles', withRight(MAY.manageRoles), ['role-with-power']],
  ['management of channels', withRight(MAY.manageChannels), ['role-with-power']],
  ['management of webhooks', withRight(MAY.manageWebhooks), ['role-with-power']],
  ['bans', withRight(MAY.ban), ['role-with-power']],
  ['kicks', withRight(MAY.kick), ['role-with-power']],
  ['timeouts', withRight(MAY.moderate), ['role-with-power']],
  [
    'nothing where it permits what everybody may, but no mentions',
    withRight(EVERYBODY_MAY & ~MAY.mentionEveryone),
    [],
  ],
  ['a choice in onboarding', withFlags(1), ['onboarding-role']],
  ['a flag from after this version', withFlags(2), ['unknown-role-property']],
  ['a flag in the highest bit there is', withFlags(2 ** 30), ['unknown-role-property']],
  ['both of them', withFlags(3), ['onboarding-role', 'unknown-role-property']],
  ['requirements of Linked Roles', withTags({ guild_connections: null }), ['linked-role']],
  ['a permission from after this version', withRight(1n << 53n), ['unknown-role-property']],
  [
    'one of them beside a power',
    withRight((1n << 63n) | MAY.ban),
    ['role-with-power', 'unknown-role-property'],
  ],
  [
    'that the role is for those who boost',
    (_, role) => {
      role.managed = true;
      role.tags = { premium_subscriber: null };
      return undefined;
    },
    ['managed-role'],
  ],
];

describe('what prevents granting a role', () => {
  it.each(CASES)('may be %s', async (_, arrange, blockers) => {
    const { discord, communityAdapter } = await adapterUp();
    const role = discord.guild.addRole('Whales');
    const asked = arrange(discord.guild, role) ?? role.id;
    const found = await communityAdapter.inspect(GUILD, asked);
    expect(found.blockers).toEqual(blockers);
    expect(found.name).toBe(discord.guild.roles.get(asked)?.name ?? asked);
  });

  it.each([
    ['in the same place that came before the bot’s', -1n, ['role-too-high']],
    ['in the same place that came after the bot’s', 1n, []],
  ] as const)('includes a role %s', async (_, later, blockers) => {
    const { discord, communityAdapter } = await adapterUp();
    const { botRole } = discord.guild;
    const { position } = botRole;
    const id = String(BigInt(botRole.id) + later * (1n << 40n));
    discord.guild.addRole('Whales', { id, position });
    expect((await communityAdapter.inspect(GUILD, id)).blockers).toEqual(blockers);
  });

  it.each([
    ['above their highest role', 5, ['role-above-maker']],
    ['in the place of their highest role', 4, ['role-above-maker']],
    ['below their highest role', 3, []],
  ] as const)(
    'includes a role %s, for the moderator who wants it granted',
    async (_, position, blockers) => {
      const { discord, communityAdapter } = await adapterUp();
      const { guild } = discord;
      guild.botRole.position = 9;
      // Of two roles in the same position, the older one is above.
      const role = guild.addRole('Whales', { position });
      const own = guild.addRole('Moderators', { position: 4, permissions: MAY.manageRoles });
      const moderator = guild.addMember('max', [own]);
      expect((await communityAdapter.inspect(GUILD, role.id, moderator.id)).blockers).toEqual(
        blockers,
      );
      expect((await communityAdapter.inspect(GUILD, role.id, guild.owner.id)).blockers).toEqual([]);
      expect((await communityAdapter.inspect(GUILD, role.id, snowflake())).blockers).toEqual([
        'role-above-maker',
      ]);
    },
  );

  it.each([
    'available_for_purchase',
    'bot_id',
    'integration_id',
    'premium_subscriber',
    'subscription_listing_id',
  ])('includes a role with %s, though it is not called managed', async (tag) => {
    const { discord, communityAdapter } = await adapterUp();
    const role = discord.guild.addRole('Whales', {
      tags: { [tag]: tag.endsWith('_id') ? '1' : null },
    });
    expect((await communityAdapter.inspect(GUILD, role.id)).blockers).toEqual(['managed-role']);
  });

  it("is never a role's position if the bot owns the server", async () => {
    const { discord, communityAdapter } = await adapterUp();
    const role = discord.guild.addRole('Whales', { position: 99 });
    Object.assign(discord.guild, { owner: BOT });
    discord.guild.botRole.permissions = 0n;
    expect((await communityAdapter.inspect(GUILD, role.id)).blockers).toEqual([]);
  });

  it.each([
    ['a server that sent the bot away', GUILD],
    ['a server that is none', snowflake()],
    ['an id that is none', '-100123'],
  ])("is the bot's absence: %s", async (_, community) => {
    const { discord, communityAdapter } = await adapterUp();
    const role = discord.guild.addRole('Whales');
    discord.guild.hasBot = false;
    expect(await communityAdapter.inspect(community, role.id)).toEqual({
      name: role.id,
      blockers: ['no-community'],
    });
  });

  it('is fetched each time', async () => {
    const { discord, communityAdapter } = await adapterUp();
    const role = discord.guild.addRole('Whales', { position: 99 });
    const before = await communityAdapter.inspect(GUILD, role.id);
    role.position = 1;
    const after = await communityAdapter.inspect(GUILD, role.id);
    expect([before.blockers, after.blockers]).toEqual([['role-too-high'], []]);
    expect(discord.rest.counts).toMatchObject({ guild: 2, member: 2 });
  });
});

describe("what this version doesn't know of a role", () => {
  it('is a blocker if it is a tag, whatever its value', async () => {
    const { discord, communityAdapter } = await adapterUp();
    const role = discord.guild.addRole('Whales');
    for (const value of [null, false, '1']) {
      const { status, body } = discord.guild.told();
      const { roles } = body as { roles: { id: string; tags?: object }[] };
      for (const each of roles) if (each.id === role.id) each.tags = { from_next_year: value };
      discord.rest.upset('guild', { status, body });
      const { blockers } = await communityAdapter.inspect(GUILD, role.id);
      expect(blockers).toEqual(['unknown-role-property']);
    }
    expect((await communityAdapter.inspect(GUILD, role.id)).blockers).toEqual([]);
  });

  it('includes no permission that discord.js knows, and each of those is power or harmless', () => {
    const role = { id: '1', name: '', position: 1, managed: false, flags: 0n, tags: [] };
    const known = Object.values(PermissionFlagsBits);
    const unknown = known.filter((permissions) =>
      roleBlockersOf({ ...role, permissions }).includes('unknown-role-property'),
    );
    expect(unknown).toEqual([]);
    const all = known.reduce((some, each) => some | each, 0n);
    expect(roleBlockersOf({ ...role, permissions: all })).toEqual(['role-with-power']);
  });

  it('is in the log for the operator, who can update, once until it is gone', async () => {
    const { discord, communityAdapter, said } = await adapterUp();
    const role = discord.guild.addRole('Whales', { flags: 8 });
    const lines = () => said().filter((line) => line.includes('update Fathom'));
    for (let i = 0; i < 3; i++) await communityAdapter.inspect(GUILD, role.id);
    expect(lines()).toHaveLength(1);
    role.flags = 0;
    await communityAdapter.inspect(GUILD, role.id);
    role.flags = 8;
    await communityAdapter.inspect(GUILD, role.id);
    expect(lines()).toHaveLength(2);
  });
});

describe('what channels give a role', () => {
  it.each([
    ['only lets members read and write', MAY.sendMessages | MAY.addReactions, false],
    ['lets them delete what others wrote', MAY.manageMessages, true],
    ['lets them manage its permissions', MAY.manageRoles, true],
    ['gives them what this version doesn’t know', 1n << 60n, true],
  ])('that %s counts as power, or not, and is no obstacle', async (_, may, isPower) => {
    const { discord, communityAdapter } = await adapterUp();
    const { guild, rest } = discord;
    const role = guild.addRole('Whales');
    guild.addRole('Others');
    guild.addChannel();
    guild.addChannel('nothing').gives.set(role.id, may);
    const found = await communityAdapter.inspect(GUILD, role.id, guild.owner.id);
    expect(found).toEqual({ name: 'Whales', blockers: [] });
    expect(rest.counts.channels).toBe(0);
    const powerful = await communityAdapter.powersInChannels?.(GUILD);
    expect(powerful).toEqual(new Set(isPower ? [role.id] : []));
  });

  it('isn’t known where Discord doesn’t say it', async () => {
    const { discord, communityAdapter } = await adapterUp();
    const { guild, rest } = discord;
    const role = guild.addRole('Whales');
    rest.upset('channels', { status: 403, body: { code: 50013, message: 'Missing Permissions' } });
    rest.upset('channels', { status: 500 }, 9);
    for (let i = 0; i < 2; i++) {
      const cautionsOf = await channelCautions(communityAdapter, GUILD);
      expect(cautionsOf(role.id)).toEqual(['maybe-channel-power']);
    }
  });
});

describe('two-factor authentication', () => {
  it.each([
    ['nothing where nobody demands it', 0, false, []],
    ["a blocker where it's demanded and the bot's owner lacks it", 1, false, ['needs-2fa']],
    ['nothing where the owner has it', 1, true, []],
    ['a caution where Discord doesn’t say', 1, undefined, [], ['maybe-needs-2fa']],
  ] as const)('is %s', async (_, mfaLevel, has, blockers, cautions?: readonly string[]) => {
    const { discord, communityAdapter } = await adapterUp();
    const { guild, rest } = discord;
    const role = guild.addRole('Whales');
    guild.mfaLevel = mfaLevel;
    guild.ownerHasTwoFactor = has ?? true;
    const before = rest.counts.me;
    if (has === undefined) rest.upset('me', { status: 200, body: BOT });
    const found = await communityAdapter.inspect(GUILD, role.id);
    expect(found).toEqual({ name: 'Whales', blockers, cautions });
    expect(rest.counts.me - before).toBe(mfaLevel);
  });

  it('counts as soon as the owner has turned it on', async () => {
    const { discord, communityAdapter } = await adapterUp();
    const { guild } = discord;
    const role = guild.addRole('Whales');
    const vera = guild.addMember('vera');
    guild.mfaLevel = 1;
    guild.ownerHasTwoFactor = false;
    expect(await communityAdapter.give(GUILD, vera.id, role.id, 'x')).toBe('needs-2fa');
    expect((await communityAdapter.inspect(GUILD, role.id)).blockers).toEqual(['needs-2fa']);
    guild.ownerHasTwoFactor = true;
    expect((await communityAdapter.inspect(GUILD, role.id)).blockers).toEqual([]);
    expect(await communityAdapter.give(GUILD, vera.id, role.id, 'x')).toBe('done');
  });

  it('is asked for once for several rules', async () => {
    const { discord, communityAdapter } = await adapterUp();
    discord.guild.mfaLevel = 1;
    const roles = ['Whales', 'Sharks', 'Dolphins'].map((name) => discord.guild.addRole(name));
    const before = discord.rest.counts.me;
    for (const [i, { id }] of roles.entries()) {
      await communityAdapter.inspect(GUILD, id, undefined, i === 0);
    }
    expect(discord.rest.counts.me - before).toBe(1);
  });
});
