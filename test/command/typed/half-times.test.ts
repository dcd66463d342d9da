import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { readFields } from '#command/arguments';
import { textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { readLine } from '../../support/typed-line.ts';

const { errors } = textsFor('en');

const TIMES: readonly (readonly [string, number])[] = [
  ['half a day', 12],
  ['Half a day.', 12],
  ['half day', 12],
  ['½ day', 12],
  ['medio día', 12],
  ['medio dia', 12],
  ['media semana', 84],
  ['a day and a half', 36],
  ['día y medio', 36],
  ['un día y medio', 36],
  ['1½ days', 36],
  ['one and a half days', 36],
  ['2 and a half days', 60],
  ['2 days and 12 hours', 60],
  ['2 días y 12 horas', 60],
  ['1 day 12 hours', 36],
];

describe('a time with a half', () => {
  it.each(TIMES)('%s is read between options and in a field', (typed, grace) => {
    for (const name of ['grace:', 'grace: ', 'grace ', 'plazo: ']) {
      const given = { action: 'add', tier: 'whale', grace, top: 10 };
      expect(readLine(`/gate add tier:whale ${name}${typed} top:10`)).toEqual(given);
    }
    const gate = commands.find(({ name }) => name === 'gate');
    const read = gate && readFields(gate, textsFor('en'), { grace: typed });
    expect(read && readLine(`/gate add tier:whale grace:"${read.grace}"`)).toMatchObject({ grace });
  });

  it.each([
    ['half an hour', 'half an hour'],
    ['media hora', 'media hora'],
    ['an hour and a half', 'an hour and a half'],
    ['half', 'half'],
    ['half a month', 'half a month'],
  ])('%s is refused by all of its words', (typed, named) => {
    const refusal = errors.notHours('grace', '0', '720', named);
    expect(() => readLine(`/gate add tier:whale grace:${typed}`)).toThrow(
      new UserError('invalid-parameter', refusal),
    );
  });

  it('is no time in the name of a badge', () => {
    expect(readLine('/gate add badge:half a day tier:whale')).toMatchObject({
      ...{ badge: 'half a day', tier: 'whale' },
    });
    expect(readLine('/gate add tier:whale grace:1 day and badge:x')).toMatchObject({
      ...{ grace: 24, badge: 'x' },
    });
  });
});

it.each([
  ['tier:🐳', { tier: 'whale' }],
  ['🐳', { tier: 'whale' }],
  ['below: 🐳', { below: 'whale' }],
  ['tier:🍤', { tier: 'shrimp' }],
])('A tier may be an emoji that keyboards offer beside its own: %s', (typed, given) => {
  expect(readLine(`/gate add ${typed}`)).toEqual({ action: 'add', ...given });
});

it.each(['user:6100000007', 'usuario: 6100000007', 'User=6100000007'])(
  'A member may be called a user: %s',
  (typed) => {
    expect(readLine(`/gate bar ${typed}`)).toEqual({ action: 'bar', member: '6100000007' });
  },
);
