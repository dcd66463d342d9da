import { beforeEach, describe, expect, it } from 'vitest';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

/* With the members intent: all members can be listed, and the list is out of date as soon as it's there. */

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
  guild.adapter.lists = true;
});

const holding = async (account: string) =>
  (await guild.store.gating.grantsOf(guild.community, [account]))[0]?.ownership;
const known = async () => await guild.store.gating.countMembers(guild.community);

/** Something happens after the list was fetched and before it's been processed. */
function afterList(work: () => Promise<unknown>): void {
  const members = guild.adapter.members.bind(guild.adapter);
  guild.adapter.members = (id) => {
    const pages = members(id);
    return (async function* () {
      yield* pages ?? [];
      guild.adapter.members = members;
      await work();
    })();
  };
}

describe('after a list, members are checked again, so that', () => {
  it('a role granted by hand meanwhile stays theirs', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    afterList(async () => guild.adapter.join('1', ROLE));
    await guild.pass();
    expect(await holding('1')).toBe('theirs');
    guild.score(1, 10);
    await guild.hours(3);
    expect(guild.holders()).toEqual(['1']);
  });

  it("a role granted after linking meanwhile doesn't count as lost", async () => {
    await guild.rule();
    await guild.member(1, 10);
    afterList(async () => {
      guild.score(1, 6_000);
      await guild.gated.gating.check(guild.community, '1');
    });
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
    expect(await holding('1')).toBe('ours');
    await guild.pass();
    expect(await holding('1')).toBe('ours');
  });

  it("a member who joined and linked meanwhile doesn't count as gone", async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    afterList(async () => {
      await guild.member(2, 6_000);
      await guild.gated.gating.check(guild.community, '2');
    });
    await guild.pass();
    expect(await holding('2')).toBe('ours');
    guild.score(2, 10);
    await guild.hours(3);
    expect(guild.holders()).toEqual(['1']);
  });
});

describe('a preview lists the members as a run does, so that it', () => {
  const preview = async () => await guild.gated.gating.preview(guild.community, MODERATOR);

  it('names whoever would get a role again that went without a word', async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    guild.adapter.join('1', ROLE);
    await guild.pass();
    guild.adapter.join('1');
    expect((await preview()).gains.map(({ account }) => account)).toEqual(['1']);
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
  });

  it('names whom a run of a moderator tries again, though the platform has refused them', async () => {
    const { gating } = guild.gated;
    await guild.rule();
    await guild.member(1, 6_000);
    guild.adapter.before = (call) => (call.startsWith('give') ? 'refused 50035' : undefined);
    await guild.pass();
    guild.adapter.before = () => undefined;
    expect((await gating.preview(guild.community)).counts.gains).toBe(0);
    expect((await preview()).counts.gains).toBe(1);
    await gating.run(guild.community, MODERATOR);
    expect(guild.holders()).toEqual(['1']);
  });

  it('asks about those alone who would be warned or lose something', async () => {
    await guild.rule({ graceSeconds: 0 });
    for (let id = 1; id <= 3; id++) await guild.member(id, 6_000);
    // They are in other communities.
    for (let id = 4; id <= 6; id++) await guild.link(String(id), walletOf(id));
    const asked = async (changes: object) => {
      guild.adapter.calls.length = 0;
      expect(await preview()).toMatchObject({ ...changes, unseen: 0, unchecked: 0 });
      return guild.adapter.calls.filter((call) => call.startsWith('member '));
    };
    expect(await asked({ counts: { gains: 3, losses: 0 } })).toEqual([]);
    await guild.pass();
    guild.score(2, 10);
    await guild.hours(1);
    guild.now += 1_800;
    expect(await asked({ counts: { gains: 0, losses: 1 } })).toEqual(['member 2']);
  });
});

describe('a member who left while the bot was away', () => {
  beforeEach(async () => {
    await guild.rule();
    for (let id = 1; id <= 50; id++) await guild.member(id, 6_000);
    await guild.pass();
    await guild.restart();
    for (let id = 1; id <= 40; id++) guild.adapter.roles.delete(String(id));
  });

  it('is forgotten when two complete lists an hour apart lack them, even with most others', async () => {
    await guild.pass();
    expect(await known()).toBe(50);
    await guild.restart();
    guild.now += 3_599;
    await guild.pass();
    expect(await known()).toBe(50);
    guild.now += 1;
    await guild.pass();
    expect(await known()).toBe(10);
    expect(await guild.audit()).not.toContain('take-begun 1');
  });

  it('is still known if one list was wrong', async () => {
    await guild.pass();
    for (let id = 1; id <= 40; id++) guild.adapter.join(String(id), ROLE);
    await guild.pass();
    guild.now += 3_600;
    for (let id = 1; id <= 40; id++) guild.adapter.roles.delete(String(id));
    await guild.pass();
    expect(await known()).toBe(50);
    expect(await holding('1')).toBe('ours');
  });

  it('gets the role again on return, and is still protected', async () => {
    await guild.gated.gating.protect(guild.community, '41', true, MODERATOR);
    guild.adapter.roles.delete('41');
    await guild.hours(2);
    expect(await known()).toBe(9);
    for (const id of ['1', '41']) {
      guild.adapter.join(id);
      guild.gated.watch.joined(guild.community, id);
    }
    await guild.gated.watch.idle();
    expect(guild.holders()).toEqual(expect.arrayContaining(['1', '41']));
    const back = await guild.store.gating.member(guild.community, '41');
    expect(back?.isProtected).toBe(true);
  });
});
