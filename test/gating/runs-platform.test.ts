import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

/** This many holders, of whom this many fall. */
async function holdersWho(count: number, fallen: number): Promise<void> {
  await guild.rule({ graceSeconds: 0 });
  for (let id = 1; id <= count; id++) await guild.member(id, 6_000);
  await guild.pass();
  for (let id = 1; id <= fallen; id++) guild.score(id, 10);
}

describe('the platform', () => {
  it.each([
    ['not-allowed', 'not-allowed'],
    ['no-role', 'no-role'],
  ] as const)("that says %s pauses the rule and isn't asked again", async (outcome, paused) => {
    await guild.rule();
    for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
    guild.adapter.before = (call) => (call.startsWith('give') ? outcome : undefined);
    await guild.pass();
    expect(guild.adapter.calls.filter((call) => call.startsWith('give'))).toHaveLength(1);
    expect((await guild.gated.gating.rulesOf(guild.community))[0]?.paused).toBe(paused);
    expect(await guild.audit()).toContain('refused 1');
  });

  it('that is down for a while makes a run finish later', async () => {
    await guild.rule();
    for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
    let calls = 0;
    guild.adapter.before = () => {
      calls += 1;
      if (calls % 3 === 0) throw new RetryableError('429');
      return undefined;
    };
    await guild.pass();
    guild.adapter.before = () => undefined;
    await guild.pass();
    expect(guild.holders()).toHaveLength(10);
  });

  it("that can't list its members makes nobody seem to have left", async () => {
    guild.adapter.lists = true;
    await guild.rule();
    for (let id = 1; id <= 250; id++) await guild.member(id, 6_000);
    await guild.pass();
    guild.adapter.before = (call) => {
      if (call === 'members 200') throw new RetryableError('500');
      return undefined;
    };
    await guild.pass();
    expect(await guild.store.gating.countMembers(guild.community)).toBe(250);
    expect(guild.holders()).toHaveLength(250);
  });

  it('is asked to remove what was granted, before an account is erased', async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    await guild.pass();
    await guild.gated.gating.release({ platform: 'discord', id: '1' });
    expect(guild.holders()).toEqual([]);
    expect((await guild.audit()).slice(-2)).toEqual(['take-begun 1', 'taken 1']);
  });

  it('protects its administrators', async () => {
    await holdersWho(3, 1);
    guild.adapter.admins.add('1');
    await guild.hours(5);
    expect(guild.holders()).toContain('1');
  });

  it('is asked what roles permit right before one is taken, not before one is given', async () => {
    const { adapter } = guild;
    const { gating } = guild.store;
    const [member, plan] = [adapter.member.bind(adapter), gating.planChanges.bind(gating)];
    let isAdmin = false;
    const fresh: string[] = [];
    adapter.member = async (community, account, isFresh = false) => {
      if (isFresh) fresh.push(account);
      const found = await member(community, account);
      return found && { ...found, isAdmin: isFresh && isAdmin };
    };
    gating.planChanges = async (changes) => {
      await plan(changes);
      // A role of theirs comes to administrate the server between the plan and its changes.
      isAdmin ||= changes.some(({ step }) => step === 'take');
    };
    await holdersWho(3, 1);
    expect(fresh).toEqual([]);
    await guild.hours(5);
    expect(isAdmin).toBe(true);
    expect(adapter.calls.filter((call) => call.startsWith('take'))).toEqual([]);
    expect(guild.holders()).toContain('1');
  });

  it('that reports a blocker prevents a rule from being created', async () => {
    guild.adapter.blockers = ['role-too-high'];
    const result = await guild.gated.gating.add(
      guild.community,
      {
        grant: ROLE,
        requirements: [{ kind: 'tier', tier: 'Whale' }],
        match: 'all',
        chain: undefined,
        exclusive: false,
        graceSeconds: 0,
      },
      MODERATOR,
    );
    expect(result).toEqual({ rule: undefined, name: 'Whales', blockers: ['role-too-high'] });
    expect(await guild.gated.gating.rulesOf(guild.community)).toEqual([]);
  });
});
