import { beforeEach, describe, expect, it } from 'vitest';
import type { Rule } from '#gating/rules/rule';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';

let guild: GatedCommunity;
let low: Rule;
let high: Rule;

const least = (points: number) => [{ kind: 'score', least: points }] as const;
const gating = () => guild.gated.gating;

describe('of two rules for one role', () => {
  beforeEach(async () => {
    guild = new GatedCommunity();
    low = await guild.rule({ requirements: least(5_000), graceSeconds: 0 });
    high = await guild.rule({ requirements: least(9_000), graceSeconds: 0 });
    await guild.member(1, 6_000);
    await guild.member(2, 9_500);
    await guild.pass();
    expect(guild.holders()).toEqual(['1', '2']);
  });

  it('a paused one keeps covering members who meet it, and nobody else', async () => {
    await gating().pause(guild.community, low.id, MODERATOR);
    await guild.hours(6);
    expect(guild.holders()).toEqual(['1', '2']);
    guild.score(1, 10);
    await guild.hours(3);
    expect(guild.holders()).toEqual(['2']);
  });

  it('a paused one grants nothing', async () => {
    await gating().pause(guild.community, low.id, MODERATOR);
    await guild.member(3, 6_000);
    await guild.hours(2);
    expect(guild.holders()).toEqual(['1', '2']);
  });

  it("a preview doesn't count members who meet one as below the bar of the other", async () => {
    const preview = await gating().preview(guild.community);
    expect(preview.counts).toEqual({ gains: 0, losses: 0, replaced: 0, atRisk: 0 });
    await gating().pause(guild.community, low.id, MODERATOR);
    expect((await gating().preview(guild.community)).counts.atRisk).toBe(0);
  });

  it('readings start over for a member who recovers above a paused one', async () => {
    await guild.rule({ requirements: least(20_000), graceSeconds: 0 });
    guild.score(1, 10);
    await guild.hours(0.5);
    guild.now += 1_800;
    await guild.pass();
    await gating().pause(guild.community, low.id, MODERATOR);
    guild.score(1, 6_000);
    await guild.hours(5);
    guild.score(1, 10);
    await gating().unpause(guild.community, low.id, MODERATOR);
    await guild.hours(0.5);
    expect(guild.holders()).toEqual(['1', '2']);
  });

  it('a run removes nothing by one after another that they meet was added', async () => {
    for (const id of [1, 2]) guild.score(id, 10);
    await guild.hours(1);
    const take = guild.adapter.take.bind(guild.adapter);
    let takes = 0;
    guild.adapter.take = async (...args) => {
      takes += 1;
      await guild.rule({ requirements: least(5) });
      return await take(...args);
    };
    await guild.hours(3);
    expect(takes).toBe(1);
    const [row] = await guild.store.gating.auditOf(guild.community, undefined, 1, 0);
    expect(row).toMatchObject({ event: 'given', account: '1' });
    expect(guild.holders()).toEqual(['1', '2']);
  });
});

describe('an announced day is kept', () => {
  const GRACE = 72 * 3_600;
  let told: number;

  beforeEach(async () => {
    guild = new GatedCommunity();
    low = await guild.rule({ requirements: least(5_000), graceSeconds: GRACE });
    high = await guild.rule({ requirements: least(5_000), graceSeconds: 0, exclusive: true });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 10);
    await guild.hours(2);
    const [warning] = await gating().warningsOf({ platform: 'discord', id: '1' });
    told = warning?.dueAt ?? 0;
    expect(told - guild.now).toBeGreaterThan(GRACE - 7_200);
  });

  /** Half an hour before the due time nothing has changed, and a while after it the role is gone. */
  async function keepsTheDay(): Promise<void> {
    while (guild.now < told - 1_800) await guild.hours(0.5);
    expect(guild.holders()).toEqual(['1']);
    await guild.hours(4);
    expect(guild.holders()).toEqual([]);
  }

  it('when its rule is paused', async () => {
    await gating().pause(guild.community, low.id, MODERATOR);
    await keepsTheDay();
  });

  it('when its rule is deleted', async () => {
    await gating().remove(guild.community, low.id, MODERATOR);
    await keepsTheDay();
  });

  it('when its rule gets a shorter grace period', async () => {
    await gating().remove(guild.community, high.id, MODERATOR);
    await gating().edit(guild.community, low.id, { graceSeconds: 0 }, MODERATOR);
    await keepsTheDay();
  });

  it('when its rule is paused and resumed', async () => {
    await gating().remove(guild.community, high.id, MODERATOR);
    await gating().pause(guild.community, low.id, MODERATOR);
    await gating().edit(guild.community, low.id, { graceSeconds: 0 }, MODERATOR);
    await gating().unpause(guild.community, low.id, MODERATOR);
    await keepsTheDay();
  });

  it('until they meet a rule again', async () => {
    await gating().pause(guild.community, low.id, MODERATOR);
    guild.score(1, 6_000);
    await guild.pass();
    guild.score(1, 10);
    await guild.hours(2);
    expect(guild.holders()).toEqual([]);
  });
});

it('two concurrent edits of one rule are both kept', async () => {
  guild = new GatedCommunity();
  const rule = await guild.rule({ requirements: least(5_000), graceSeconds: 0 });
  const inspect = guild.adapter.inspect.bind(guild.adapter);
  let waiting = 0;
  const both = Promise.withResolvers<void>();
  guild.adapter.inspect = async () => {
    waiting += 1;
    if (waiting === 2) both.resolve();
    await both.promise;
    return await inspect();
  };
  const edit = gating().edit.bind(gating());
  await Promise.all([
    edit(guild.community, rule.id, { requirements: least(9_000) }, MODERATOR),
    edit(guild.community, rule.id, { graceSeconds: 720 * 3_600 }, MODERATOR),
  ]);
  const [kept] = await guild.store.gating.rulesOf(guild.community);
  expect(kept).toMatchObject({ grant: ROLE, requirements: least(9_000), graceSeconds: 2_592_000 });
});
