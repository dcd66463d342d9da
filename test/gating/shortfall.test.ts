import { describe, expect, it } from 'vitest';
import { lackingOf } from '#gating/decide/shortfall';
import type { Standing } from '#gating/decide/verdict';
import type { Cutoff } from '#gating/requirements/kind';
import type { Rule } from '#gating/rules/rule';
import { DEFAULT_THRESHOLDS, tierOf } from '#reputation/tier';
import type { Chain } from '#wallet/wallet';
import { ruleOf } from '../support/gate-records.ts';
import { addressOf } from '../support/import-lines.ts';

function standing(score: number, change: { rank?: number; badges?: string[] } = {}): Standing {
  const { rank = 1, badges = [] } = change;
  const chain: Chain = 'ethereum';
  const address = addressOf(chain, score);
  const record = {
    ...{ address, chain, score, rank, totalUsers: 3_000, badges: [] },
    tier: tierOf(score, DEFAULT_THRESHOLDS),
    lastUpdated: '2026-11-22T12:37:01Z',
  };
  return { wallet: { chain, address }, record, badges };
}

function lacking(rule: Partial<Rule>, standings: readonly Standing[], cutoff?: Cutoff) {
  const badgeName = (id: string) => (id === 'reef-keeper' ? 'Reef Keeper' : id);
  const measure = { rule: ruleOf('aaaa', rule), cutoff, thresholds: DEFAULT_THRESHOLDS, badgeName };
  return lackingOf(standings, measure);
}

describe('what a member lacks of a rule', () => {
  it.each<[string, Partial<Rule>, Standing, object]>([
    [
      'points to a tier',
      { requirements: [{ kind: 'tier', tier: 'Titan' }] },
      standing(7_190),
      { kind: 'tier', tier: 'Titan', points: 1_810 },
    ],
    [
      'points to a score',
      { requirements: [{ kind: 'score', least: 700 }] },
      standing(699),
      { kind: 'score', points: 1 },
    ],
    [
      'a badge, by its name',
      { requirements: [{ kind: 'badge', badge: 'reef-keeper' }] },
      standing(9),
      { kind: 'badge', badge: 'Reef Keeper' },
    ],
    [
      'a rank',
      { requirements: [{ kind: 'top', most: 100 }] },
      standing(9, { rank: 116 }),
      { kind: 'top', most: 100, rank: 116 },
    ],
  ])('is told exactly: %s', (_, rule, wallet, missing) => {
    expect(lacking(rule, [wallet])).toMatchObject({ missing: [missing], over: [] });
  });

  it('is points to the last of the top N of a chain', () => {
    const rule = { requirements: [{ kind: 'top', most: 10 }], chain: 'ethereum' } as const;
    expect(lacking(rule, [standing(400)], { score: 650 }).missing).toEqual([
      { kind: 'top', most: 10, chain: 'ethereum', points: 250 },
    ]);
  });

  it('is a tier without points where the source has thresholds of its own', () => {
    const other = standing(9_500);
    const shark = { ...other, record: { ...other.record!, tier: 'Shark' as const } };
    expect(lacking({ requirements: [{ kind: 'tier', tier: 'Titan' }] }, [shark]).missing).toEqual([
      { kind: 'tier', tier: 'Titan', points: undefined },
    ]);
  });

  it('is all of a wallet that was never seen, and says so where there is none', () => {
    const rule = { requirements: [{ kind: 'score', least: 700 }] } as const;
    const unseen = { ...standing(5), record: undefined };
    expect(lacking(rule, [unseen])).toMatchObject({
      missing: [{ kind: 'score', points: 700 }],
      isWithoutWallet: false,
    });
    expect(lacking(rule, [])).toMatchObject({ isWithoutWallet: true });
  });

  const both: Partial<Rule> = {
    requirements: [
      { kind: 'tier', tier: 'Whale' },
      { kind: 'badge', badge: 'voter' },
      { kind: 'score', least: 6_000 },
    ],
  };

  it('is that of the wallet which lacks fewest, as one must have all', () => {
    const large = standing(5_500);
    const small = standing(100, { badges: ['voter'] });
    expect(lacking(both, [large, small]).missing.map(({ kind }) => kind)).toEqual([
      'badge',
      'score',
    ]);
    const voter = standing(5_200, { badges: ['voter'] });
    expect(lacking(both, [large, voter]).missing).toEqual([{ kind: 'score', points: 800 }]);
  });

  it('is any of them where one is enough', () => {
    const any = { ...both, match: 'any' as const };
    expect(lacking(any, [standing(4_000)])).toMatchObject({
      match: 'any',
      missing: [{ points: 1_000 }, { kind: 'badge' }, { points: 2_000 }],
    });
  });

  it('is what a wallet has too much of, though another one would be enough', () => {
    const rule = {
      requirements: [{ kind: 'score', least: 100 }],
      bounds: [
        { kind: 'below', tier: 'Shark' },
        { kind: 'most', score: 2_500 },
      ],
    } as const;
    expect(lacking(rule, [standing(2_600), standing(300)])).toMatchObject({
      missing: [],
      over: [
        { kind: 'below', tier: 'Shark' },
        { kind: 'most', points: 100 },
      ],
    });
  });
});
