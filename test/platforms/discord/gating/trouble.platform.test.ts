import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { NotSent } from '#gating/platform';
import { TIMINGS } from '#platforms/discord/gateway/timings';
import { createCommunityAdapter } from '#platforms/discord/gating/community-adapter';
import { BotRest } from '#platforms/discord/rest/bot-rest';
import { tooMany } from '../../../../bench/servers/discord/limits.ts';
import { BOT, GUILD } from '../../../../bench/servers/discord/world.ts';
import { QUICK, testBot } from '../../../support/discord/bot.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';
import { eventually } from '../../../support/eventually.ts';
import { silentLog } from '../../../support/log.ts';

async function arranged(timings: Parameters<typeof adapterUp>[1] = {}) {
  const bot = await adapterUp({}, timings);
  const role = bot.discord.guild.addRole('Whales');
  const person = bot.discord.guild.addMember('vera');
  const give = () => bot.communityAdapter.give(GUILD, person.id, role.id, 'met');
  return { ...bot, role, person, give };
}

/** The Retry-After of a promise that must reject with a RetryableError. */
async function retryAfter(work: Promise<unknown>): Promise<number> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RetryableError);
  return (error as RetryableError).retryAfter;
}

describe("Discord's rate limits", () => {
  it.each(['user', 'shared', 'global'] as const)(
    'that are hit are waited out (%s)',
    async (scope) => {
      const { discord, give } = await arranged();
      discord.rest.upset('give', tooMany(0.05, scope), 3);
      expect(await give()).toBe('done');
      expect(discord.rest.counts.give).toBe(4);
    },
  );

  it('that are announced are respected', async () => {
    const { discord, communityAdapter, role } = await arranged();
    discord.rest.limits.set('give', 4, 0.2);
    discord.rest.limits.set('member', 3, 0.2);
    discord.guild.people.crowd(12);
    const ids = Array.from({ length: 12 }, (_, i) => discord.guild.people.idOf(i));
    const outcomes = await Promise.all(
      ids.map((id) => communityAdapter.give(GUILD, id, role.id, 'met')),
    );
    const members = await Promise.all(ids.map((id) => communityAdapter.member(GUILD, id)));
    expect(new Set(outcomes)).toEqual(new Set(['done']));
    expect(members.every((member) => member?.grants.includes(role.id))).toBe(true);
    expect(discord.rest.limits.exceeded).toBe(0);
  });

  it.each([
    ['longer than anybody waits', tooMany(90), 90],
    ['for all requests longer than anybody waits', tooMany(90, 'global'), 90],
    ['for no time that is told', { status: 429, body: { message: 'no' } }, 1],
  ])('%s are left for later', async (_, refusal, seconds) => {
    const { discord, give } = await arranged();
    discord.rest.upset('give', refusal, 99);
    expect(await retryAfter(give())).toBeGreaterThanOrEqual(seconds);
    expect(discord.rest.counts.give).toBe(1);
  });

  it('that persist are left for later, for one call after the other', async () => {
    const { discord, give, role } = await arranged({ request: 200 });
    discord.rest.upset('give', tooMany(0.03), 1_000);
    expect(await retryAfter(give())).toBeGreaterThan(0);
    expect(discord.rest.counts.give).toBeLessThan(20);
    // Requests that wait behind it have their own timeout, and abandoned ones aren't sent later.
    expect(await retryAfter(Promise.all([give(), give()]))).toBeGreaterThan(0);
    expect(discord.guild.log.filter((each) => each.role === role.id)).toEqual([]);
  });
});

describe("a fault of Discord's", () => {
  it.each([
    ['503', { status: 503 }],
    ['a connection that breaks', 'drop'],
    ['an answer that gets lost', 'lose-answer'],
  ] as const)("that passes isn't noticed: %s", async (_, trouble) => {
    const { discord, give } = await arranged();
    discord.rest.upset('give', trouble, 2);
    expect(await give()).toBe('done');
    expect(discord.rest.counts.give).toBe(3);
  });

  it.each([
    ['500', { status: 500 }],
    ['503', { status: 503, body: { message: 'no', code: 0 } }],
    ['connections that break', 'drop'],
    ['silence', 'silence'],
  ] as const)('that persists ends after three attempts: %s', async (_, trouble) => {
    // Only silence runs into the timeout, and a request only counts if it was received by then.
    const { discord, give } = await arranged(trouble === 'silence' ? { answer: 500 } : {});
    discord.rest.upset('give', trouble, 99);
    expect(await retryAfter(give())).toBeGreaterThan(0);
    expect(discord.rest.counts.give).toBe(3);
  });

  it.each([
    ['a wall before Discord', { status: 403 }],
    ['an address that is none', { status: 404, body: { message: '404: Not Found', code: 0 } }],
  ])('says nothing about the role: %s', async (_, trouble) => {
    const { discord, give } = await arranged();
    discord.rest.upset('give', trouble);
    expect(await retryAfter(give())).toBeGreaterThan(0);
    expect(await give()).toBe('done');
  });

  it('shows neither token nor address in its error', async () => {
    const { discord, give } = await arranged();
    for (const trouble of [{ status: 500 }, 'drop', tooMany(90)] as const) {
      discord.rest.upset('give', trouble, trouble === 'drop' ? 3 : 1);
      const error = await give().catch((thrown: unknown) => thrown);
      const shown = error instanceof Error ? `${error.stack} ${error.cause}` : error;
      expect(shown).not.toContain(discord.token);
      expect(shown).not.toContain(discord.apiUrl);
    }
  });
});

describe('a community adapter', () => {
  it('throws RetryableError until Discord has accepted the token, and then works at once', async () => {
    const { discord, start } = await testBot();
    discord.rest.upset('me', { status: 503 }, 4);
    const adapter = start();
    const { id } = discord.guild.addMember('vera');
    await retryAfter(adapter.communityAdapter.member(GUILD, id));
    await retryAfter(adapter.communityAdapter.inspect(GUILD, id));
    expect(discord.rest.counts.member).toBe(0);
    await eventually(() => adapter.status().ok);
    expect(await adapter.communityAdapter.member(GUILD, id)).toMatchObject({ id });
  });

  it('works while the gateway is away', async () => {
    const { discord, adapter, give } = await arranged();
    discord.gateway.shut = true;
    discord.gateway.drop();
    await eventually(() => !adapter.status().ok);
    expect(await give()).toBe('done');
  });

  it("sends nothing while the token is rejected, and resumes once it's accepted", async () => {
    const { discord, adapter, give } = await arranged({ patience: 0 });
    const body = { code: 0, message: '401: Unauthorized' };
    discord.rest.upset('give', { status: 401, body });
    await retryAfter(give());
    await eventually(() => discord.rest.counts.me >= 2 && adapter.status().ok);
    expect(await give()).toBe('done');
  });

  it('sends nothing more once stopped, and keeps nobody waiting', async () => {
    const { discord, adapter, give } = await arranged();
    discord.rest.upset('give', 'silence');
    const waiting = retryAfter(give());
    await eventually(() => discord.rest.counts.give === 1);
    await adapter.stop();
    await waiting;
    await retryAfter(give());
    expect(discord.rest.counts.give).toBe(1);
  });

  it('pauses for minutes before Discord has rejected so much that it blocks the address', async () => {
    const bot = await testBot();
    const { guild, rest, token, apiUrl } = bot.discord;
    // The clock stands still: the pause started with this process's first refusal.
    const start = Date.now();
    let passed = 0;
    const communityAdapter = createCommunityAdapter({
      rest: new BotRest({ token, apiUrl }),
      commands: [],
      membersIntent: false,
      hasEvents: () => true,
      timings: { ...TIMINGS, ...QUICK },
      log: silentLog,
      clock: () => start + passed,
      refusals: 12,
    });
    communityAdapter.use({ botId: BOT.id, fail: () => {} });
    const person = guild.addMember('vera');
    const roles = Array.from({ length: 30 }, () => guild.addRole('high', { position: 99 }));
    const work = roles.map((role) => communityAdapter.give(GUILD, person.id, role.id, 'met'));
    await Promise.allSettled(work);
    const asked = rest.counts.give;
    expect(asked).toBeGreaterThanOrEqual(12);
    const low = guild.addRole('low');
    const give = () => communityAdapter.give(GUILD, person.id, low.id, 'met');
    expect(await retryAfter(give())).toBeGreaterThan(0);
    await expect(give()).rejects.toThrow(NotSent);
    expect(rest.counts.give).toBe(asked);
    passed = 10 * 60_000;
    expect(await give()).toBe('done');
    communityAdapter.close();
  });
});
