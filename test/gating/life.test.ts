import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { reasonText } from '#gating/decide/reason';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

describe('a member', () => {
  it('gets the role after one check, and the audit log says why', async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    await guild.member(2, 4_999);
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
    expect(await guild.audit()).toEqual(['rule-added', 'give-begun 1', 'given 1']);
    const [row] = await guild.store.gating.auditOf(guild.community, '1', 1, 0);
    const text = reasonText(row?.detail ?? '', textsFor('en'));
    expect(text).toContain('met (');
    expect(text).toContain('6000 points');
  });

  it("isn't granted what they already have", async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    await guild.pass();
    const before = guild.adapter.calls.length;
    await guild.hours(5);
    expect(guild.adapter.calls.length).toBe(before);
  });

  it('who falls below is warned after an hour of checks, and loses it after the grace period', async () => {
    await guild.rule({ graceSeconds: 7_200 });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 100);
    await guild.pass();
    guild.now += 1_800;
    await guild.pass();
    expect(guild.adapter.told).toEqual([]);
    guild.now += 1_800;
    await guild.pass();
    expect(guild.adapter.told.map(({ account }) => account)).toEqual(['1']);
    guild.now += 7_199;
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
    guild.now += 1;
    await guild.pass();
    expect(guild.holders()).toEqual([]);
    expect((await guild.audit()).slice(-3)).toEqual(['warned 1', 'take-begun 1', 'taken 1']);
  });

  it('who checks a fallen score often loses nothing sooner', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 100);
    for (let i = 0; i < 50; i++) {
      guild.now += 60;
      await guild.pass();
    }
    expect(guild.holders()).toEqual(['1']);
  });

  it('who recovers in the grace period keeps it, and the count starts over', async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 100);
    await guild.hours(10);
    guild.score(1, 6_000);
    await guild.hours(1);
    guild.score(1, 100);
    await guild.hours(20);
    expect(guild.holders()).toEqual(['1']);
    await guild.hours(10);
    expect(guild.holders()).toEqual([]);
  });

  it('who falls, loses it, recovers and links again gets it again', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 0);
    await guild.hours(3);
    expect(guild.holders()).toEqual([]);
    guild.score(1, 9_500);
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
  });

  it('who unlinks is treated like one who fell below', async () => {
    await guild.rule({ graceSeconds: 3_600 });
    await guild.member(1, 6_000);
    await guild.pass();
    await guild.unlink('1', walletOf(1));
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
    await guild.hours(4);
    expect(guild.holders()).toEqual([]);
  });

  it('who left is forgotten, and starts over when they return', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.adapter.roles.delete('1');
    guild.score(1, 0);
    await guild.hours(3);
    expect(await guild.store.gating.member(guild.community, '1')).toBeUndefined();
    guild.adapter.join('1');
    guild.score(1, 6_000);
    await guild.gated.watch.tick();
    guild.gated.watch.joined(guild.community, '1');
    await guild.gated.watch.idle();
    expect(guild.holders()).toEqual(['1']);
  });

  it('who links a second wallet that qualifies gets it', async () => {
    await guild.rule();
    await guild.member(1, 10);
    await guild.pass();
    guild.score(77, 8_000);
    await guild.link('1', walletOf(77));
    await guild.gated.watch.tick();
    guild.gated.watch.linksChanged({ platform: 'discord', id: '1' });
    await guild.gated.watch.idle();
    expect(guild.holders()).toEqual(['1']);
  });

  it('who got the role from someone else keeps it below the bar', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    guild.adapter.join('1', ROLE);
    await guild.pass();
    guild.score(1, 0);
    await guild.hours(10);
    expect(guild.holders()).toEqual(['1']);
  });

  it('loses it all the same if the rule is exclusive', async () => {
    await guild.rule({ graceSeconds: 0, exclusive: true });
    await guild.member(1, 6_000);
    guild.adapter.join('1', ROLE);
    await guild.pass();
    guild.score(1, 0);
    await guild.hours(10);
    expect(guild.holders()).toEqual([]);
  });

  it('who is protected loses nothing', async () => {
    await guild.rule({ graceSeconds: 0, exclusive: true });
    await guild.member(1, 6_000);
    await guild.pass();
    await guild.gated.gating.protect(guild.community, '1', true, MODERATOR);
    guild.score(1, 0);
    await guild.hours(10);
    expect(guild.holders()).toEqual(['1']);
    await guild.gated.gating.protect(guild.community, '1', false, MODERATOR);
    await guild.hours(10);
    expect(guild.holders()).toEqual([]);
  });

  it("who lost it by hand isn't granted it again, even once they fall below and recover", async () => {
    guild.adapter.lists = true;
    await guild.rule();
    await guild.member(1, 6_000);
    await guild.pass();
    guild.adapter.join('1');
    await guild.hours(3);
    expect(guild.holders()).toEqual([]);
    guild.score(1, 0);
    await guild.pass();
    guild.score(1, 6_000);
    await guild.pass();
    expect(guild.holders()).toEqual([]);
  });

  it('who meets one of two rules for the same role keeps it', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.rule({ graceSeconds: 0, requirements: [{ kind: 'score', least: 1_000 }] });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 1_500);
    await guild.hours(10);
    expect(guild.holders()).toEqual(['1']);
    guild.score(1, 900);
    await guild.hours(10);
    expect(guild.holders()).toEqual([]);
  });
});

describe('a requirement', () => {
  it.each([
    ['a tier', { requirements: [{ kind: 'tier', tier: 'Shark' }] }, ['1', '2', '3']],
    ['a score', { requirements: [{ kind: 'score', least: 5_000 }] }, ['1', '2']],
    ['a place among the first', { requirements: [{ kind: 'top', most: 3 }] }, ['1', '2']],
    [
      'a place among the first of a chain',
      { requirements: [{ kind: 'top', most: 2 }], chain: 'ethereum' },
      ['1'],
    ],
    ['another chain', { requirements: [{ kind: 'score', least: 1 }], chain: 'solana' }, []],
    [
      'all of two things',
      {
        requirements: [
          { kind: 'score', least: 2_000 },
          { kind: 'top', most: 2 },
        ],
      },
      ['1'],
    ],
    [
      'any of two things',
      {
        match: 'any',
        requirements: [
          { kind: 'score', least: 2_000 },
          { kind: 'top', most: 2 },
        ],
      },
      ['1', '2', '3'],
    ],
  ] as const)('is %s', async (_, rule, holders) => {
    await guild.rule(rule);
    for (const [id, score] of [
      [1, 9_000],
      [2, 5_000],
      [3, 2_000],
      [4, 100],
    ] as const) {
      await guild.member(id, score);
    }
    await guild.pass();
    expect(guild.holders()).toEqual(holders);
  });
});

describe('an unknown reading', () => {
  const doubts: readonly (readonly [string, (guild: GatedCommunity) => void])[] = [
    [
      'that fails',
      ({ source }) => {
        source.before = () => {
          throw new RetryableError('down');
        };
      },
    ],
    [
      'that fails for every second wallet',
      ({ source }) => {
        let count = 0;
        source.before = () => {
          count += 1;
          if (count % 2 === 0) throw new RetryableError('down');
        };
      },
    ],
    [
      'that is stale',
      ({ source }) => {
        source.isStale = true;
      },
    ],
    [
      'that says zero for everybody',
      ({ source }) => {
        source.zeros = true;
      },
    ],
    ['that has lost everything', ({ source }) => source.scores.clear()],
    [
      'that has lost most of its wallets',
      ({ source }) => {
        for (const address of [...source.scores.keys()].slice(1)) source.scores.delete(address);
      },
    ],
    [
      'whose scores are all zero',
      ({ source }) => {
        for (const address of source.scores.keys()) source.scores.set(address, 0);
      },
    ],
  ];

  it.each(doubts)('of a source %s removes nothing, however long it lasts', async (_, fail) => {
    await guild.rule({ graceSeconds: 0, exclusive: true });
    for (let id = 1; id <= 4; id++) await guild.member(id, 6_000);
    await guild.pass();
    expect(guild.holders()).toHaveLength(4);
    fail(guild);
    await guild.hours(48);
    expect(guild.holders()).toHaveLength(4);
    expect(await guild.audit()).not.toContain('take-begun 1');
    expect(guild.adapter.told).toEqual([]);
  });

  it('grants nothing', async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    guild.source.isStale = true;
    const result = await guild.pass();
    expect(guild.holders()).toEqual([]);
    expect(result?.doubt).toBe('stale');
    expect(result?.run.counts).toMatchObject({ members: 1, unknown: 1 });
  });

  it('while points may be missing takes nothing, and grants what is met all the same', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.rule({ graceSeconds: 0, requirements: [{ kind: 'top', most: 3 }], grant: '901' });
    await guild.member(1, 6_000);
    await guild.pass();
    expect(guild.adapter.roles.get('1')).toEqual(new Set([ROLE, '901']));
    guild.source.isPartial = true;
    guild.score(1, 0);
    await guild.member(2, 7_000);
    await guild.hours(48);
    // Those of whom points are missing may be above.
    expect(guild.adapter.roles.get('2')).toEqual(new Set([ROLE]));
    expect(guild.adapter.roles.get('1')).toEqual(new Set([ROLE, '901']));
    expect(guild.adapter.told).toEqual([]);
    const result = await guild.pass();
    expect([result?.doubt, result?.run.counts.unknown]).toEqual(['partial', 2]);
    guild.source.isPartial = false;
    await guild.hours(4);
    expect(guild.holders()).toEqual(['2']);
  });

  it('between two others neither counts nor resets the count', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 0);
    await guild.hours(1);
    guild.source.isStale = true;
    await guild.hours(5);
    expect(guild.holders()).toEqual(['1']);
    guild.source.isStale = false;
    await guild.hours(1);
    expect(guild.holders()).toEqual([]);
  });
});
