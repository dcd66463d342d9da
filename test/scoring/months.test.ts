import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextMonth } from '#scoring/fold/rule-fold';

it("the first day of the next month is the calendar's", () => {
  const byDate = (day: number) => {
    const date = new Date(day * 86_400_000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 86_400_000;
  };
  // 1600 to 2800, which has leap years of all kinds, and days up to the last of a Date.
  for (let day = -135_140; day < 303_152; day += 1) {
    if (nextMonth(day) !== byDate(day)) expect([day, nextMonth(day)]).toEqual([day, byDate(day)]);
  }
  fc.assert(
    fc.property(fc.integer({ min: -99_000_000, max: 99_000_000 }), (day) => {
      expect(nextMonth(day)).toBe(byDate(day));
    }),
  );
});
