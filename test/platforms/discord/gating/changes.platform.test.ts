import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { ChangeOutcome } from '#gating/community-adapter';
import { MAY, type Role, type StandInGuild } from '../../../../bench/servers/discord/guild.ts';
import { snowflake } from '../../../../bench/servers/discord/ids.ts';
import { GUILD, type User } from '../../../../bench/servers/discord/world.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';

const REASON = 'rule ab12: met (0x1234...5678: Whale, 7420 points, rank 127)';

/** A bot with a role to grant, and a member. */
async function arranged(options: Parameters<typeof adapterUp>[0] = {}) {
  const bot = await adapterUp(options);
  const { guild } = bot.discord;
  const role = guild.addRole('Whales');
  const person = guild.addMember('vera');
  const has = () => guild.people.rolesOf(person.id).includes(role.id);
  return { ...bot, guild, role, person, has };
}

describe('a role', () => {
  it("is granted and removed, with the reason in the server's audit log", async () => {
    const { communityAdapter, guild, role, person, has } = await arranged();
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('done');
    expect(has()).toBe(true);
    expect(await communityAdapter.take(GUILD, person.id, role.id, 'no linked wallet')).toBe('done');
    expect(has()).toBe(false);
    const about = { account: person.id, role: role.id };
    expect(guild.log).toEqual([
      { step: 'give', ...about, reason: REASON },
      { step: 'take', ...about, reason: 'no linked wallet' },
    ]);
  });

  it.each([
    ['a permission over others', { permissions: MAY.manageMessages }],
    ['a permission that we don’t know', { permissions: 1n << 60n }],
    ['a place in onboarding', { flags: 1 }],
    ['requirements of Linked Roles', { tags: { guild_connections: null } }],
  ])('that gained %s after its rule was created is granted to nobody', async (_, change) => {
    const { communityAdapter, role, person, has, pass } = await arranged();
    await communityAdapter.inspect(GUILD, role.id);
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('done');
    await communityAdapter.take(GUILD, person.id, role.id, REASON);
    Object.assign(role, change);
    pass(5_000);
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('not-allowed');
    expect(has()).toBe(false);
    Object.assign(role, { permissions: 0n, flags: 0, tags: undefined });
    await communityAdapter.inspect(GUILD, role.id);
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('done');
  });

  it('may be granted twice', async () => {
    const { communityAdapter, role, person, has } = await arranged();
    const outcomes = [
      await communityAdapter.give(GUILD, person.id, role.id, REASON),
      await communityAdapter.give(GUILD, person.id, role.id, REASON),
    ];
    expect([outcomes, has()]).toEqual([['done', 'done'], true]);
  });

  it.each([
    ['long', 'x'.repeat(900)],
    ['in another script', '漢字'.repeat(300)],
    ['with a broken character', 'a \ud800 b'],
    ['with line breaks that would be headers', 'a\r\nX-Other: b'],
    ['of one endless letter', `q${'\u0301'.repeat(9_000)}`],
  ])("has a reason that fits the header although it's %s", async (_, reason) => {
    const { communityAdapter, guild, role, person } = await arranged();
    expect(await communityAdapter.give(GUILD, person.id, role.id, reason)).toBe('done');
    expect(guild.log[0]?.reason).toMatch(/^[aqx漢]/);
  });
});

type Refusal = readonly [
  situation: string,
  outcome: ChangeOutcome,
  arrange: (guild: StandInGuild, role: Role, person: User) => void,
];

const REFUSALS: readonly Refusal[] = [
  ['who has left', 'left', ({ people }, _, { id }) => people.leave(id)],
  ['though it was deleted', 'no-role', ({ roles }, { id }) => roles.delete(id)],
  [
    'in a server that sent the bot away',
    'no-community',
    (guild) => {
      guild.hasBot = false;
    },
  ],
  [
    'that was moved above the bot’s',
    'not-allowed',
    (_, role) => {
      role.position = 99;
    },
  ],
  [
    'by a bot that may no longer manage roles',
    'not-allowed',
    ({ botRole }) => {
      botRole.permissions = 0n;
    },
  ],
  [
    'that an integration has taken over',
    'invalid-role',
    (_, role) => {
      role.managed = true;
    },
  ],
];

describe('a change that Discord refuses', () => {
  it.each(REFUSALS)(
    'is reported as what it is: a role of a member %s',
    async (_, outcome, arrange) => {
      const { communityAdapter, guild, role, person } = await arranged();
      arrange(guild, role, person);
      expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe(outcome);
      expect(await communityAdapter.take(GUILD, person.id, role.id, REASON)).toBe(outcome);
    },
  );

  it.each([
    ['a member', 'left', GUILD, '../..', snowflake()],
    ['a role', 'no-role', GUILD, snowflake(), 'entry'],
    ['a server', 'no-role', '-100123', snowflake(), snowflake()],
  ])("isn't even requested with %s as an id", async (_, outcome, ...ids) => {
    const { communityAdapter, discord } = await arranged();
    const [community, account, role] = ids;
    expect(await communityAdapter.give(community, account, role, REASON)).toBe(outcome);
    expect(await communityAdapter.take(community, account, role, REASON)).toBe(outcome);
    expect(discord.rest.counts).toMatchObject({ give: 0, take: 0 });
  });

  it("isn't requested again within a minute, for any member", async () => {
    const { communityAdapter, guild, role, discord, pass } = await arranged();
    role.position = 99;
    const people = Array.from({ length: 20 }, (_, i) => guild.addMember(`member${i}`));
    for (const { id } of people) {
      expect(await communityAdapter.give(GUILD, id, role.id, REASON)).toBe('not-allowed');
      expect(await communityAdapter.take(GUILD, id, role.id, REASON)).toBe('not-allowed');
    }
    expect(discord.rest.counts).toMatchObject({ give: 1, take: 0 });
    const other = guild.addRole('Titans');
    expect(await communityAdapter.give(GUILD, people[0]!.id, other.id, REASON)).toBe('done');
    role.position = 1;
    pass(60_000);
    expect(await communityAdapter.give(GUILD, people[0]!.id, role.id, REASON)).toBe('done');
  });

  it('is requested again once nothing prevents it', async () => {
    const { communityAdapter, role, person } = await arranged();
    role.position = 99;
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('not-allowed');
    expect((await communityAdapter.inspect(GUILD, role.id)).blockers).toEqual(['role-too-high']);
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('not-allowed');
    role.position = 1;
    expect((await communityAdapter.inspect(GUILD, role.id)).blockers).toEqual([]);
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('done');
  });

  it('for one member says nothing about the others', async () => {
    const { communityAdapter, guild, role, person } = await arranged();
    const gone = guild.addMember('gone');
    guild.people.leave(gone.id);
    expect(await communityAdapter.give(GUILD, gone.id, role.id, REASON)).toBe('left');
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe('done');
  });

  it.each([
    [400, 50035, 'refused 50035'],
    [400, 0, 'refused HTTP-400'],
    [403, 160007, 'refused 160007'],
    [403, 60003, 'needs-2fa'],
    [400, 50028, 'invalid-role'],
    [403, 50001, 'no-community'],
    [403, 40007, 'left'],
  ])('with %i and code %i is %s', async (status, code, outcome) => {
    const { communityAdapter, discord, role, person } = await arranged();
    discord.rest.upset('give', { status, body: { code, message: 'No' } });
    expect(await communityAdapter.give(GUILD, person.id, role.id, REASON)).toBe(outcome);
  });
});

it.each([
  [403, 40333],
  [403, 40006],
  [400, 130000],
])(
  'what concerns all of Discord (%i, code %i) is no refusal of one member',
  async (status, code) => {
    const { communityAdapter, discord, role, person } = await arranged();
    discord.rest.upset('give', { status, body: { code, message: 'internal network error' } });
    const given = communityAdapter.give(GUILD, person.id, role.id, REASON);
    await expect(given).rejects.toThrow(`Discord answered HTTP ${status} with code ${code}.`);
    await expect(given).rejects.toBeInstanceOf(RetryableError);
  },
);

describe('administrators', () => {
  it('are granted roles like everyone else', async () => {
    const { communityAdapter, guild, role } = await arranged();
    await communityAdapter.member(GUILD, guild.owner.id);
    expect(await communityAdapter.give(GUILD, guild.owner.id, role.id, REASON)).toBe('done');
  });
});
