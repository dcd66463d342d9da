import { describe, expect, it } from 'vitest';
import { formatTime } from '#base/time/time';
import { parseCellTime } from '#import/sheet/cells';
import { timeZone } from '#import/sheet/row';

const shown = (text: string, options = {}) => {
  const time = parseCellTime(text, options);
  if (time === undefined || time.kind === 'either') return time?.kind;
  return `${time.kind} ${formatTime(time.seconds)}`;
};

describe('a time in a cell', () => {
  it.each([
    // With a zone of its own.
    ['2026-03-04T14:05:00Z', 'moment 2026-03-04T14:05:00Z'],
    ['2026-03-04 14:05:00.000 UTC', 'moment 2026-03-04T14:05:00Z'],
    ['2026-03-04 14:05 +02:00', 'moment 2026-03-04T12:05:00Z'],
    ['2026-03-04 14:05:00-0530', 'moment 2026-03-04T19:35:00Z'],
    ['Tue, 15 Dec 2025 14:30:00 GMT', 'moment 2025-12-15T14:30:00Z'],
    [
      'Mon Jan 15 2024 10:00:00 GMT+0100 (Central European Standard Time)',
      'moment 2024-01-15T09:00:00Z',
    ],
    ['1765809000', 'moment 2025-12-15T14:30:00Z'],
    ['1765809000123', 'moment 2025-12-15T14:30:00Z'],
    // As clocks on a wall showed it.
    ['2026-03-04T14:05', 'wall 2026-03-04T14:05:00Z'],
    ['04.03.2026 14:05', 'wall 2026-03-04T14:05:00Z'],
    ['25/03/2026, 2:05:07 p. m.', 'wall 2026-03-25T14:05:07Z'],
    ['12/25/2026 12:05 AM', 'wall 2026-12-25T00:05:00Z'],
    ['Mar-04-2026 05:12:11 PM', 'wall 2026-03-04T17:12:11Z'],
    ['4 de marzo de 2026 9:30', 'wall 2026-03-04T09:30:00Z'],
    ['45321.5', 'wall 2024-01-30T12:00:00Z'],
    ['45321,75', 'wall 2024-01-30T18:00:00Z'],
    // A date alone.
    ['2026-03-04', 'day 2026-03-04T00:00:00Z'],
    ['Mar 4, 2026', 'day 2026-03-04T00:00:00Z'],
    ['4 Sept 2026', 'day 2026-09-04T00:00:00Z'],
    ['Wed, 4 Mar 26', 'day 2026-03-04T00:00:00Z'],
    ['31.12.99', 'day 1999-12-31T00:00:00Z'],
    ['04/04/2026', 'day 2026-04-04T00:00:00Z'],
    ['45321', 'day 2024-01-30T00:00:00Z'],
    // Two readings.
    ['03/04/2026', 'either'],
    ['03-04-2026', 'either'],
    ['3/4/26 9:30 am', 'either'],
  ])('%j is read as %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    '',
    '12',
    '2026',
    '31/02/2026',
    '04.03.0099',
    '0099-03-04',
    '2026-13-01',
    '04.03.2026 25:00',
    'soon',
    '30 Foo 2026',
    `${'9'.repeat(200)}`,
  ])('%j is none', (text) => {
    expect(parseCellTime(text)).toBeUndefined();
  });

  it('is read in a given order, or not at all', () => {
    expect(shown('03/04/2026', { order: 'dmy' })).toBe('day 2026-04-03T00:00:00Z');
    expect(shown('03/04/2026', { order: 'mdy' })).toBe('day 2026-03-04T00:00:00Z');
    expect(shown('25/04/2026', { order: 'mdy' })).toBeUndefined();
  });

  it('is 1,462 days later in a workbook that counts from 1904', () => {
    expect(shown('43859.5', { from1904: true })).toBe('wall 2024-01-30T12:00:00Z');
  });

  it('tells which order a date proves', () => {
    expect(parseCellTime('25/04/2026')).toMatchObject({ order: 'dmy' });
    expect(parseCellTime('04/25/2026')).toMatchObject({ order: 'mdy' });
    expect(parseCellTime('04/04/2026')).not.toHaveProperty('order');
  });
});

describe('a time zone', () => {
  const wall = (text: string) => Date.parse(`${text}Z`) / 1000;
  const at = (zone: string, text: string) => {
    const time = timeZone(zone)?.at(wall(text));
    if (time?.kind === 'once') return formatTime(time.seconds);
    return time?.kind === 'twice' ? [time.earlier, time.later].map(formatTime) : time?.kind;
  };

  it('knows summer time, its gaps and what clocks showed twice', () => {
    expect(at('Europe/Berlin', '2026-01-15T12:00')).toBe('2026-01-15T11:00:00Z');
    expect(at('Europe/Berlin', '2026-07-15T12:00')).toBe('2026-07-15T10:00:00Z');
    expect(at('Europe/Berlin', '2026-03-29T01:59')).toBe('2026-03-29T00:59:00Z');
    expect(at('Europe/Berlin', '2026-03-29T02:30')).toBe('never');
    expect(at('Europe/Berlin', '2026-03-29T03:00')).toBe('2026-03-29T01:00:00Z');
    expect(at('Europe/Berlin', '2026-10-25T02:30')).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
    ]);
    // Days before and after a change, whose offsets are those of one day as a whole.
    expect(at('Europe/Berlin', '2026-03-28T23:59')).toBe('2026-03-28T22:59:00Z');
    expect(at('Europe/Berlin', '2026-10-26T00:00')).toBe('2026-10-25T23:00:00Z');
    // By half an hour, and past midnight.
    expect(at('Australia/Lord_Howe', '2026-10-04T02:15')).toBe('never');
    expect(at('America/Havana', '2026-03-08T00:30')).toBe('never');
    expect(at('Asia/Kathmandu', '2026-03-04T12:00')).toBe('2026-03-04T06:15:00Z');
    expect(at('UTC', '2026-03-29T02:30')).toBe('2026-03-29T02:30:00Z');
  });

  it('has a known name', () => {
    expect(timeZone('Europe/Atlantis')).toBeUndefined();
    expect(timeZone('+02:00')).toBeUndefined();
  });
});
