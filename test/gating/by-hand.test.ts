import { beforeEach, describe, expect, it } from 'vitest';
import type { Rule } from '#gating/rules/rule';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';

/* Moderators remove a role that a rule granted, and grant it again, after a look has seen it gone. */

let guild: GatedCommunity;
let rule: Rule;
const gating = () => guild.gated.gating;
const why = async () => await gating().why(guild.community, '1');
const holds = async () =>
  (await guild.store.gating.grantsOf(guild.community, ['1'])).map((each) => each.ownership);

beforeEach(async () => {
  guild = new GatedCommunity();
  rule = await guild.rule({ graceSeconds: 0 });
  await guild.member(1, 6_000);
  await guild.pass();
  expect(await holds()).toEqual(['ours']);
});

function takeByHand(): void {
  guild.adapter.join('1');
}

function giveByHand(): void {
  guild.adapter.join('1', ROLE);
}

describe("a role removed and granted again by hand isn't ours", () => {
  it('once `/gate why` has seen it gone', async () => {
    guild.score(1, 10);
    takeByHand();
    await why();
    expect(await holds()).toEqual(['none']);
    expect(await guild.store.gating.countBars(guild.community)).toBe(1);
    giveByHand();
    expect((await why()).findings[0]?.grant.ownership).toBe('theirs');
    await guild.hours(4);
    expect(guild.holders()).toEqual(['1']);
  });

  it('once `/gate log` has seen it gone', async () => {
    takeByHand();
    await gating().log(guild.community, 10, 0);
    giveByHand();
    guild.score(1, 10);
    await guild.hours(4);
    expect(guild.holders()).toEqual(['1']);
  });

  it("and undoing the run that had granted it doesn't remove it", async () => {
    const [run] = await guild.store.gating.runsOf(guild.community, 1);
    takeByHand();
    await why();
    giveByHand();
    await gating().undo(guild.community, MODERATOR, run?.id);
    expect(guild.holders()).toEqual(['1']);
  });

  it('even if its rule, which had taken it since, is removed before that undo', async () => {
    const [run] = await guild.store.gating.runsOf(guild.community, 1);
    guild.score(1, 10);
    await guild.hours(4);
    expect(guild.holders()).toEqual([]);
    giveByHand();
    await gating().remove(guild.community, rule.id, MODERATOR);
    const undo = await gating().undo(guild.community, MODERATOR, run?.id);
    expect(undo).toMatchObject({ changes: [{ status: 'skipped', reason: 'changed-since' }] });
    expect(guild.holders()).toEqual(['1']);
  });

  it('even if its rule is removed after it was seen with them', async () => {
    const [run] = await guild.store.gating.runsOf(guild.community, 1);
    takeByHand();
    await why();
    giveByHand();
    await why();
    await gating().remove(guild.community, rule.id, MODERATOR);
    await gating().undo(guild.community, MODERATOR, run?.id);
    expect(guild.holders()).toEqual(['1']);
  });

  it("but what its rule gave, and nobody took, is taken by an undo after the rule's removal", async () => {
    const [run] = await guild.store.gating.runsOf(guild.community, 1);
    await gating().remove(guild.community, rule.id, MODERATOR);
    expect(await holds()).toEqual([]);
    await gating().undo(guild.community, MODERATOR, run?.id);
    expect(guild.holders()).toEqual([]);
  });

  it('even if its rule is paused', async () => {
    const other = await guild.rule({ graceSeconds: 0 });
    await guild.pass();
    await gating().pause(guild.community, rule.id, MODERATOR);
    takeByHand();
    guild.gated.watch.seen({ platform: 'discord', id: '1', community: '700' });
    await guild.gated.watch.idle();
    giveByHand();
    await gating().unpause(guild.community, rule.id, MODERATOR);
    await gating().pause(guild.community, other.id, MODERATOR);
    guild.score(1, 10);
    await guild.hours(4);
    expect(guild.holders()).toEqual(['1']);
  });
});

it('an undo does not give again what a later run gave and a moderator took', async () => {
  guild.score(1, 10);
  await guild.hours(4);
  const [took] = await guild.store.gating.runsOf(guild.community, 1);
  expect(took?.counts).toMatchObject({ taken: 1 });
  guild.score(1, 6_000);
  await guild.pass();
  expect(guild.holders()).toEqual(['1']);
  takeByHand();
  const undo = await gating().undo(guild.community, MODERATOR, took?.id);
  expect(undo).toMatchObject({ changes: [{ status: 'skipped', reason: 'changed-since' }] });
  expect(guild.holders()).toEqual([]);
});

it("what a check sees during a change isn't someone else's doing", async () => {
  await guild.member(2, 6_000);
  let asked: Promise<unknown> | undefined;
  guild.adapter.before = (call) => {
    if (call.startsWith('give 2')) asked = gating().why(guild.community, '2');
    return undefined;
  };
  await guild.pass();
  await asked;
  const [grant] = await guild.store.gating.grantsOf(guild.community, ['2']);
  expect(grant?.ownership).toBe('ours');
});
