import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Figures,
  isLess,
  type PendingDrop,
  settleFigures,
} from '#platforms/role-connections/figures';

const NOW = 1_800_000_000;
const SHOWN: Figures = { score: 5_000, tier: 4, rank: 10, badges: 3, linkedAt: NOW - 100 };

/** Feeds one reading after another. @returns what is shown after each */
function shownAfter(
  reads: readonly (readonly [at: number, read: Partial<Figures>])[],
  first: Figures = SHOWN,
): Figures[] {
  let state: { figures: Figures; fall: PendingDrop | undefined } = {
    figures: first,
    fall: undefined,
  };
  return reads.map(([at, read]) => {
    state = settleFigures(state.figures, state.fall, { ...SHOWN, ...read }, NOW + at);
    return state.figures;
  });
}

const HOUR = 3_600;
const low = { score: 1 };

describe('the shown data', () => {
  it.each<[string, Partial<Figures>]>([
    ['a score', { score: 6_000 }],
    ['a tier', { tier: 5 }],
    ['a rank', { rank: 9 }],
    ['a number of badges', { badges: 4 }],
    ['an older wallet', { linkedAt: NOW - 200 }],
  ])('gets better at once: %s', (_, better) => {
    expect(shownAfter([[0, better]])).toEqual([{ ...SHOWN, ...better }]);
  });

  it.each<[string, Partial<Figures>]>([
    ['a lower score', { score: 4_999 }],
    ['a lower tier', { tier: 3 }],
    ['a higher rank', { rank: 11 }],
    ['fewer badges', { badges: 2 }],
    ['no figure any more', { score: undefined, tier: undefined, rank: undefined }],
  ])('gets worse only after three reads over an hour: %s', (_, worse) => {
    const reads = [0, 1_800, 2_400, HOUR].map((at) => [at, worse] as const);
    expect(shownAfter(reads)).toEqual([SHOWN, SHOWN, SHOWN, { ...SHOWN, ...worse }]);
  });

  it('stays on many readings within an hour', () => {
    const reads = Array.from({ length: 100 }, (_, i) => [i * 36, low] as const);
    expect(shownAfter(reads)).toEqual(reads.map(() => SHOWN));
  });

  it('stays on two readings, however far apart', () => {
    expect(
      shownAfter([
        [0, low],
        [9 * HOUR, low],
      ]),
    ).toEqual([SHOWN, SHOWN]);
  });

  it('stays if a reading in between confirms it', () => {
    const reads = [low, low, {}, low, low].map((read, i) => [i * HOUR, read] as const);
    expect(shownAfter(reads)).toEqual(reads.map(() => SHOWN));
  });

  it('falls no lower than the best of the lower readings, per figure', () => {
    const reads = [
      { score: 4_000, badges: 1 },
      { score: 10, badges: 2 },
      { score: 3_000, badges: 0 },
    ].map((read, i) => [i * HOUR, read] as const);
    expect(shownAfter(reads).at(-1)).toEqual({ ...SHOWN, score: 4_000, badges: 2 });
  });

  it('stays while the readings disagree on what got worse', () => {
    const reads = [{ score: 1 }, { badges: 1 }, { score: 1 }, { badges: 1 }].map(
      (read, i) => [i * HOUR, read] as const,
    );
    expect(shownAfter(reads)).toEqual(reads.map(() => SHOWN));
  });

  it('improves in one figure while another waits', () => {
    const read = { score: 9_000, badges: 0 };
    expect(shownAfter([[0, read]])).toEqual([{ ...SHOWN, score: 9_000 }]);
  });

  it('stays if the clock is set back and forth', () => {
    const reads = [0, -HOUR, 0, -HOUR].map((at) => [at, low] as const);
    expect(shownAfter(reads)).toEqual(reads.map(() => SHOWN));
  });

  it('falls only to what three or more consecutive readings over an hour had, or less', () => {
    const score = fc.constantFrom(0, 100, 4_999, 5_000, 6_000);
    const read = fc.record({ after: fc.integer({ min: 0, max: 4_000 }), score });
    fc.assert(
      fc.property(fc.array(read, { maxLength: 30 }), (given) => {
        let at = 0;
        const reads = given.map((each) => {
          at += each.after;
          return { at, score: each.score };
        });
        const shown = shownAfter(reads.map((each) => [each.at, { score: each.score }]));
        let streak: typeof reads = [];
        for (const [i, now] of shown.entries()) {
          const before = shown[i - 1] ?? SHOWN;
          const each = reads[i];
          if (each === undefined || each.score >= (before.score ?? 0)) {
            streak = [];
            continue;
          }
          streak.push(each);
          if (!isLess(now, before)) continue;
          expect(streak.length).toBeGreaterThanOrEqual(3);
          expect(each.at - (streak[0]?.at ?? 0)).toBeGreaterThanOrEqual(HOUR);
          expect(now.score).toBe(Math.max(...streak.map((one) => one.score)));
          streak = [];
        }
      }),
    );
  });
});
