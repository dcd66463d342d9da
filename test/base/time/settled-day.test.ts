import { expect, it } from 'vitest';
import { SettledDay } from '#base/time/clock';
import { dayOf } from '#base/time/time';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 10, 23, 12);
const DAY = dayOf(NOON / 1000);

/** Clocks of a machine, whose date can be set. */
function machine({ ahead = 0 } = {}) {
  let monotonic = 5_000;
  let offset = NOON + ahead - monotonic;
  const day = new SettledDay(
    () => monotonic + offset,
    () => monotonic,
  );
  return {
    day,
    set: (by: number) => {
      offset += by;
    },
    /** Asked every minute, as by the service every second. */
    pass(milliseconds: number): number {
      let today = day.today();
      for (let left = milliseconds; left > 0; left -= MINUTE) {
        monotonic += Math.min(left, MINUTE);
        today = day.today();
      }
      return today;
    },
  };
}

it('The service ends days with the clock', () => {
  const { day, pass } = machine();
  expect(pass(12 * HOUR - 1_000)).toBe(DAY);
  expect(pass(1_000)).toBe(DAY + 1);
  expect(day.isHeld).toBe(false);
});

it('The service takes no day from a clock that is ahead for less than an hour', () => {
  const { day, set, pass } = machine();
  set(3_650 * 24 * HOUR);
  expect(pass(59 * MINUTE)).toBe(DAY);
  expect(day.isHeld).toBe(true);
  set(-3_650 * 24 * HOUR);
  expect(pass(HOUR)).toBe(DAY);
  expect(day.isHeld).toBe(false);
  expect(pass(11 * HOUR)).toBe(DAY + 1);
});

it('The service takes no days from a clock that is ahead from the start for less than an hour', () => {
  const { day, set, pass } = machine({ ahead: 40 * 24 * HOUR });
  day.start(DAY);
  expect(pass(59 * MINUTE)).toBe(DAY);
  expect(day.isHeld).toBe(true);
  set(-40 * 24 * HOUR);
  expect(pass(1)).toBe(DAY);
  expect(day.isHeld).toBe(false);
});

it('The service takes no days either however often it starts with such a clock', () => {
  let last = DAY;
  for (let start = 0; start < 40; start += 1) {
    const { day, pass } = machine({ ahead: 40 * 24 * HOUR });
    day.start(last);
    last = pass(MINUTE);
  }
  expect(last).toBe(DAY);
});

it('The service takes the steps of a long pause after an hour, and those of a night at once', () => {
  const long = machine();
  long.day.start(DAY - 5);
  expect(long.pass(59 * MINUTE)).toBe(DAY - 5);
  expect(long.pass(2 * MINUTE)).toBe(DAY);
  const short = machine();
  short.day.start(DAY - 1);
  expect(short.day.today()).toBe(DAY);
  expect(short.day.isHeld).toBe(false);
});

it('The service waits another hour where the clock is set again', () => {
  const { set, pass } = machine();
  set(30 * HOUR);
  expect(pass(50 * MINUTE)).toBe(DAY);
  set(40 * 24 * HOUR);
  expect(pass(50 * MINUTE)).toBe(DAY);
  set(-40 * 24 * HOUR);
  expect(pass(50 * MINUTE)).toBe(DAY);
  expect(pass(11 * MINUTE)).toBe(DAY + 1);
});

it('The service ends the days that end while a jump is waited for', () => {
  const { set, pass } = machine();
  pass(12 * HOUR - 10 * MINUTE);
  set(5 * 24 * HOUR);
  expect(pass(20 * MINUTE)).toBe(DAY + 1);
});

it('The service believes a clock that stays ahead, as after a pause of the machine', () => {
  const { day, set, pass } = machine();
  set(30 * HOUR);
  expect(pass(61 * MINUTE)).toBe(DAY + 1);
  expect(day.isHeld).toBe(false);
});

it('The service follows a clock that is kept in step, and one that is set back', () => {
  const { set, pass } = machine();
  for (let i = 0; i < 12 * 60; i += 1) {
    set(30_000);
    pass(30_000);
  }
  expect(pass(1)).toBe(DAY + 1);
  set(-26 * HOUR);
  expect(pass(1)).toBe(DAY - 1);
});
