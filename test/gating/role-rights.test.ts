import { beforeEach, describe, expect, it } from 'vitest';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { TestAdapter } from '../support/gating.ts';

/* A role that gains rights over others while its rule is active. */

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity();
  await guild.rule({ graceSeconds: 0 });
  await guild.member(1, 6_000);
  await guild.pass();
  guild.adapter.blockers = ['role-with-power'];
});

const paused = async () => (await guild.store.gating.rulesOf(guild.community))[0]?.paused;

it('a pass pauses its rule even without anything to grant, and removes nothing', async () => {
  guild.score(1, 10);
  await guild.hours(3);
  expect(await paused()).toBe('not-allowed');
  expect(guild.holders()).toEqual(['1']);
  expect((await guild.audit()).filter((row) => row === 'rule-paused')).toHaveLength(1);
});

it('A rule is paused as soon as the platform reports its role', async () => {
  const { watch } = guild.gated;
  watch.grantChanged(guild.community, '901');
  await watch.idle();
  expect(await paused()).toBeUndefined();
  watch.grantChanged(guild.community, ROLE);
  watch.grantChanged(guild.community, ROLE);
  await watch.idle();
  expect(await paused()).toBe('not-allowed');
});

it('a run resumes its rule for a moderator who may resume it, and for nobody else', async () => {
  const { gating } = guild.gated;
  await guild.pass();
  guild.adapter.blockers = [];
  guild.adapter.lowMakers.add('2');
  const refused = await gating.run(guild.community, 'discord:2');
  expect(refused).toMatchObject({ problems: [{ blockers: ['role-above-maker'] }] });
  expect(await paused()).toBe('not-allowed');
  expect(await guild.audit()).not.toContain('rule-resumed');
  await gating.run(guild.community, MODERATOR);
  expect(await paused()).toBeUndefined();
});

it('a preview says what a run would do: nothing by a rule that something prevents, paused yet or not', async () => {
  const { gating } = guild.gated;
  await guild.member(2, 6_000);
  for (const isPaused of [false, true]) {
    if (isPaused) await guild.pass();
    const preview = await gating.preview(guild.community, MODERATOR);
    expect(preview).toMatchObject({ problems: [{ blockers: ['role-with-power'] }] });
    expect(preview.counts.gains).toBe(0);
  }
  guild.adapter.blockers = [];
  guild.adapter.lowMakers.add('2');
  const refused = await gating.preview(guild.community, 'discord:2');
  expect(refused).toMatchObject({ problems: [{ blockers: ['role-above-maker'] }] });
  expect(refused.counts.gains).toBe(0);
  const preview = await gating.preview(guild.community, MODERATOR);
  expect(preview.problems).toEqual([]);
  expect(preview.gains.map(({ account }) => account)).toEqual(['2']);
  expect(await paused()).toBe('not-allowed');
  await gating.run(guild.community, MODERATOR);
  expect(guild.holders()).toEqual(['1', '2']);
});

it('a rule that a moderator pauses while the platform is asked stays paused for that reason', async () => {
  const { gating } = guild.gated;
  const id = (await gating.rulesOf(guild.community))[0]?.id ?? '';
  const { adapter } = guild;
  let isAsked = false;
  adapter.inspect = async (...asked) => {
    if (!isAsked) {
      isAsked = true;
      await guild.store.gating.pauseRule(guild.community, id, 'moderator');
    }
    return await TestAdapter.prototype.inspect.apply(adapter, asked);
  };
  await guild.pass();
  expect([isAsked, await paused()]).toEqual([true, 'moderator']);
  await guild.store.gating.pauseRule(guild.community, id, 'not-allowed');
  isAsked = false;
  adapter.blockers = [];
  await gating.run(guild.community, MODERATOR);
  expect([isAsked, await paused()]).toEqual([true, 'moderator']);
  expect(await guild.audit()).not.toContain('rule-resumed');
});

it('a rule that a moderator pauses while the platform refuses it stays paused for that reason', async () => {
  const { adapter } = guild;
  adapter.blockers = [];
  const [rule] = await guild.gated.gating.rulesOf(guild.community);
  await guild.member(2, 6_000);
  adapter.before = (call) => {
    if (!call.startsWith('give')) return undefined;
    void guild.store.gating.pauseRule(guild.community, rule?.id ?? '', 'moderator');
    return 'not-allowed';
  };
  await guild.pass();
  expect(await paused()).toBe('moderator');
});

it('a run by a moderator below the role leaves active rules alone', async () => {
  guild.adapter.blockers = [];
  guild.adapter.lowMakers.add('2');
  await guild.member(3, 6_000);
  await guild.gated.gating.run(guild.community, 'discord:2');
  expect(guild.holders()).toEqual(['1', '3']);
});

describe('a moderator below a role that rules give', () => {
  const low = 'discord:2';
  const gating = () => guild.gated.gating;
  const here = () => guild.community;
  const ruleId = async () => (await gating().rulesOf(here()))[0]?.id ?? '';

  beforeEach(() => {
    guild.adapter.blockers = [];
    guild.adapter.lowMakers.add('2');
  });

  const REFUSED: Readonly<Record<string, () => Promise<unknown>>> = {
    'remove its rule': async () => await gating().remove(here(), await ruleId(), low),
    'bar somebody from it': async () => await gating().barring.bar(here(), '1', ROLE, low),
    'bar somebody from all': async () => await gating().barring.bar(here(), '1', undefined, low),
    'protect somebody': async () => await gating().protect(here(), '1', true, low),
    'end a protection': async () => await gating().protect(here(), '1', false, low),
    'make it part of a ladder': async () => await gating().setLadder(here(), true, low),
    'add wallets up': async () => await gating().choices.setWalletMode(here(), 'sum', low),
  };

  it.each(Object.entries(REFUSED))("can't %s, and nothing changes", async (_, does) => {
    const before = await guild.audit();
    await expect(does()).rejects.toMatchObject({
      code: expect.stringMatching(/^gate-(?:role|roles|bar)-above$/),
      values: ['Whales'],
    });
    expect(await guild.audit()).toEqual(before);
    expect(await guild.store.gating.barsOf(here(), ['1'])).toEqual([]);
  });

  it("can't edit or resume its rule, but stop what it does", async () => {
    const edit = { requirements: [{ kind: 'score', least: 1 }] } as const;
    expect(await gating().edit(here(), await ruleId(), edit, low)).toMatchObject({
      blockers: ['role-above-maker'],
    });
    await gating().pause(here(), await ruleId(), low);
    expect(await paused()).toBe('moderator');
    expect(await gating().unpause(here(), await ruleId(), low)).toMatchObject({
      blockers: ['role-above-maker'],
    });
  });
});
