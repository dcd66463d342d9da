import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { readLine } from '../../support/typed-line.ts';

/* The words that moderators put around a number to say which side of it counts. */

describe('what says no more than that a bound is one', () => {
  it.each([
    ['/gate add at least whale', { tier: 'whale' }],
    ['/gate add nivel ballena o mayor', { tier: 'whale' }],
    ['/gate add whale or above, chain:solana', { tier: 'whale', chain: 'sol' }],
    ['/gate add ballena y más', { tier: 'whale' }],
    ['/gate add whale and up', { tier: 'whale' }],
    ['/gate add score 5k or more', { score: 5_000 }],
    ['/gate add al menos 5000 puntos', { score: 5_000 }],
    ['/gate add 5000 puntos o más', { score: 5_000 }],
    ['/gate add score: at least 5,000', { score: 5_000 }],
    ['/gate add whale or higher or score:5000', { tier: 'whale', match: 'any', score: 5_000 }],
    ['/gate add badge:"Whale or more"', { badge: 'Whale or more' }],
  ])('is left out: %s', (line, options) => {
    expect(readLine(line)).toMatchObject(options);
  });
});

describe('a bound that its own number doesn’t meet', () => {
  it.each([
    ['más de 5000', { score: 5_001 }],
    ['more than 5,000 points', { score: 5_001 }],
    ['puntos más de 5.000 puntos', { score: 5_001 }],
    ['score over 5k', { score: 5_001 }],
    ['score:more than 5000', { score: 5_001 }],
    ['score: above 5 000', { score: 5_001 }],
    ['score:at least 5000', { score: 5_000 }],
    ['top under 100', { top: 99 }],
    ['puesto menor que 100', { top: 99 }],
    ['most:less than 9000 more than 200', { most: 8_999, score: 201 }],
    ['más de 200 puntos y menos de 9000 puntos', { most: 8_999, match: 'all', score: 201 }],
    ['menos de 9.000 puntos desde ballena', { most: 8_999, tier: 'whale' }],
    ['whale top: fewer than 50 places', { tier: 'whale', top: 49 }],
  ])('is the whole number next to it: /gate add %s', (line, expected) => {
    expect(readLine(`/gate add ${line}`)).toEqual({ action: 'add', ...expected });
  });

  it.each([
    'no more than 5000 points',
    'no más de 5000 puntos',
    'not over 5000',
    'score less than 5000',
    'score under 5000 points',
    'top over 100',
    'most more than 5000',
    'whale grace more than 2 days',
  ])('is refused where it says something else: /gate add %s', (line) => {
    expect(() => readLine(`/gate add ${line}`)).toThrow(UserError);
  });

  // The command refuses badges that don't exist, by name.
  it.each(['more than whale', 'more than 24 hours', 'menos de 5000', 'more than 0.5'])(
    'is a badge’s name where no bound can be meant: /gate add whale %s',
    (words) => {
      expect(readLine(`/gate add whale ${words}`)).toMatchObject({ badge: words });
    },
  );
});
