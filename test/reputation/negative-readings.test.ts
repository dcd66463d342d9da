import { describe, expect, it } from 'vitest';
import { countNegative, isConfirmed, type NegativeReadings } from '#reputation/negative-readings';

const MINUTE = 60;
const DAY = 86_400;
const NOW = 1_700_000_000;

/** The count after readings at these times. */
function countOf(...times: readonly number[]): NegativeReadings {
  const counted = times.reduce<NegativeReadings | undefined>(
    (before, at) => countNegative(before, at),
    undefined,
  );
  if (counted === undefined) throw new Error('there are no readings');
  return counted;
}

describe('negative readings', () => {
  it('are confirmed by three of them over an hour', () => {
    expect(isConfirmed(countOf(NOW, NOW + 30 * MINUTE, NOW + 59 * MINUTE))).toBe(false);
    expect(isConfirmed(countOf(NOW, NOW + 60 * MINUTE))).toBe(false);
    expect(isConfirmed(countOf(NOW, NOW + 30 * MINUTE, NOW + 60 * MINUTE))).toBe(true);
  });

  it('count once if they come too soon after each other', () => {
    const first = countOf(NOW);
    expect(countNegative(first, NOW + 10 * MINUTE)).toBe(first);
  });

  it('start over after a day without one, and if the clock was set back', () => {
    const confirmed = countOf(NOW, NOW + 30 * MINUTE, NOW + 60 * MINUTE);
    const started = { reads: 1, firstAt: NOW + 8 * DAY, lastAt: NOW + 8 * DAY };
    expect(countNegative(confirmed, NOW + 8 * DAY)).toEqual(started);
    expect(countNegative(confirmed, NOW)).toEqual({ reads: 1, firstAt: NOW, lastAt: NOW });
    expect(countNegative(confirmed, NOW + 60 * MINUTE + DAY).reads).toBe(4);
  });

  it('continue where only the clock was set forward meanwhile', () => {
    const counted = countNegative(countOf(NOW), NOW + 8 * DAY, () => 30 * MINUTE);
    expect(counted).toEqual({ reads: 2, firstAt: NOW, lastAt: NOW + 8 * DAY });
  });
});
