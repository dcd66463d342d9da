import { describe, expect, it } from 'vitest';
import { decideGrant } from '#gating/decide/grant';
import { grantOf, NOW, ruleOf } from '../support/gate-records.ts';

const HOUR = 3_600;
const DAY = 86_400;
const RULE = ruleOf('r', { graceSeconds: DAY });
const STATUS = { isSafe: false, asksToJoin: false, isDenied: false };

describe('a grace period whose clock was set back', () => {
  /** Warned by a clock that was a year ahead. */
  const AHEAD = NOW + 365 * DAY;
  const warned = grantOf('r', 'discord:1', {
    ...{ lacks: 9, firstLackAt: AHEAD - DAY, lastLackAt: AHEAD },
    ...{ warnedAt: AHEAD, dueAt: AHEAD + DAY },
  });

  /** A reading every half hour. @returns the hours after which each step came */
  function read(hours: number) {
    const steps: [number, string][] = [];
    let grant = warned;
    for (let at = 0; at <= hours * HOUR; at += HOUR / 2) {
      const decided = decideGrant(RULE, grant, 'lacks', STATUS, NOW + at);
      grant = decided.grant;
      if (decided.step !== undefined) steps.push([at / HOUR, decided.step]);
      if (decided.step === 'take') break;
    }
    return { steps, grant };
  }

  it('starts again, with a warning, and ends a day later rather than in a year', () => {
    const { steps } = read(48);
    // Three readings over an hour come first, as at any other time.
    expect(steps).toEqual([
      [1, 'warn'],
      [25, 'take'],
    ]);
  });

  it('is as long as it was', () => {
    const longer = {
      ...warned,
      dueAt: AHEAD + 3 * DAY,
      lastLackAt: NOW,
      firstLackAt: NOW - 2 * HOUR,
    };
    const { grant } = decideGrant(RULE, { ...longer, lacks: 3 }, 'lacks', STATUS, NOW + HOUR);
    expect(grant).toMatchObject({ warnedAt: NOW + HOUR, dueAt: NOW + HOUR + 3 * DAY });
  });
});
