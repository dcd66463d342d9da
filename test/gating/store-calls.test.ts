import { beforeEach, describe, expect, it } from 'vitest';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';

let guild: GatedCommunity;
let calls: string[];

/** A guild with a rule and a member with the role, after the first pass over all of them. */
beforeEach(async () => {
  guild = new GatedCommunity();
  calls = [];
  await guild.gated.stop();
  const counting: ProxyHandler<typeof guild.store.gating> = {
    get(store, name) {
      const found: unknown = Reflect.get(store, name);
      if (typeof found !== 'function') return found;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return found.apply(store, args);
      };
    },
  };
  guild.gated = guild.open({ store: new Proxy(guild.store.gating, counting) });
  await guild.rule();
  await guild.member(1, 6_000);
  await guild.pass();
  calls = [];
});

const rulesRead = () => calls.filter((name) => /^rules(AndSettings)?Of$/.test(name)).length;

describe('The store of gating is called', () => {
  it('at most 17 times to check one member and give a role, and reads rules twice', async () => {
    await guild.member(2, 6_000);
    calls = [];
    await guild.gated.gating.check(guild.community, '2');
    expect(guild.holders()).toEqual(['1', '2']);
    expect(calls.length).toBeLessThanOrEqual(17);
    // To judge by, and at the moment of the change: a moderator may have changed one meanwhile.
    expect(rulesRead()).toBe(2);
  });

  it('at most 25 times for a pass over all members that gives one role', async () => {
    await guild.member(2, 6_000);
    calls = [];
    await guild.pass();
    expect(guild.holders()).toEqual(['1', '2']);
    expect(calls.length).toBeLessThanOrEqual(25);
  });

  it('at most 15 times for a pass that finds nothing to change', async () => {
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
    expect(calls).not.toContain('planChanges');
    expect(calls.length).toBeLessThanOrEqual(15);
  });

  it('never for all members to count whom an undo or a held run would take something from', async () => {
    const { gating } = guild.gated;
    for (let id = 2; id <= 8; id++) await guild.member(id, 6_000);
    await guild.pass();
    await gating.protect(guild.community, '2', true, MODERATOR);
    calls = [];
    const asked = await gating.undo(guild.community, MODERATOR);
    expect(asked).toMatchObject({ why: 'many', losing: 6 });
    expect(calls).not.toContain('membersAfter');
    for (let id = 1; id <= 8; id++) guild.score(id, 10);
    await guild.hours(26);
    const [held] = await gating.heldRuns(guild.community);
    calls = [];
    expect(held && (await gating.countHeld(held))).toBe(7);
    expect(calls).not.toContain('membersAfter');
  });
});
