import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextMonth } from '#scoring/fold/rule-fold';

it("the first day of the next month is the calendar's", () => {
  const byDate = (day: number) => {
    const date = new Date(day * 86_400_000);
    // Not `Date.UTC`, for which the years 0 to 99 are those from 1900 on.
    const next = new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    return next / 86_400_000;
  };
  // 1600 to 2800, which has leap years of all kinds, and days up to the last of a Date.
  for (let day = -135_140; day < 303_152; day += 1) {
    if (nextMonth(day) !== byDate(day)) expect([day, nextMonth(day)]).toEqual([day, byDate(day)]);
  }
  fc.assert(
    fc.property(fc.integer({ min: -99_000_000, max: 99_000_000 }), (day) => {
      expect(nextMonth(day)).toBe(byDate(day));
    }),
    // The last day of the year 99.
    { examples: [[-683_004]] },
  );
});
