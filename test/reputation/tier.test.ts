import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { DEFAULT_THRESHOLDS, parseThresholds, TIERS, tierOf } from '#reputation/tier';

describe('the tier of a score', () => {
  it.each([
    [0, 'Shrimp'],
    [499, 'Shrimp'],
    [500, 'Dolphin'],
    [1999, 'Dolphin'],
    [2000, 'Shark'],
    [4999, 'Shark'],
    [5000, 'Whale'],
    [8999, 'Whale'],
    [9000, 'Titan'],
    [Number.MAX_SAFE_INTEGER, 'Titan'],
  ])('The tier of a score of %i is %s by default', (score, tier) => {
    expect(tierOf(score, DEFAULT_THRESHOLDS)).toBe(tier);
  });

  it('never falls when the score rises', () => {
    fc.assert(
      fc.property(fc.nat(12_000), fc.nat(12_000), (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const place = (score: number) => TIERS.indexOf(tierOf(score, DEFAULT_THRESHOLDS));
        expect(place(high)).toBeLessThanOrEqual(place(low));
      }),
    );
  });
});

describe('parsing thresholds', () => {
  it('accepts any order and case, with spaces', () => {
    const text = ' Dolphin=5, shark = 20 ,WHALE=300,titan=4000 ';
    expect(parseThresholds(text)).toEqual({ titan: 4000, whale: 300, shark: 20, dolphin: 5 });
  });

  it.each([
    '',
    'titan=9000',
    'titan=9000,whale=5000,shark=2000',
    'titan=9000,whale=5000,shark=2000,dolphin=500,shrimp=1',
    'titan=9000,whale=5000,shark=2000,dolphin=500,dolphin=500',
    'titan=9000,whale=5000,shark=2000,dolphin=0',
    'titan=9000,whale=5000,shark=2000,dolphin=-5',
    'titan=9000,whale=5000,shark=2000,dolphin=5.5',
    'titan=9000,whale=5000,shark=2000,dolphin=0x10',
    'titan=9000,whale=9000,shark=2000,dolphin=500',
    'titan=1,whale=2,shark=3,dolphin=4',
    'titan=99999999999999999,whale=5000,shark=2000,dolphin=500',
    '__proto__=1,whale=5000,shark=2000,dolphin=500',
  ])('refuses %j and shows the format', (text) => {
    expect(() => parseThresholds(text)).toThrow(UserError);
    expect(() => parseThresholds(text)).toThrow('titan=9000,whale=5000,shark=2000,dolphin=500');
  });
});
