import { expect, it } from 'vitest';
import { describeEvent } from '#core/scoring/fold/ledger-text';
import type { Give } from '#core/scoring/model';

const GIVE: Give = {
  type: 'vote',
  points: { kind: 'fixed', points: 1 },
  cap: undefined,
  halfLifeDays: undefined,
  badge: undefined,
  text: 'Voted on {title}',
};

it.each(['\u0000', '\u001b', '\u0085', '\u061c', '\u202e', '\u2066', '\u2028', '\ud800'])(
  'keeps %j of an event out of its description',
  (sign) => {
    const event = {
      ...{ height: 1, place: 'p', time: 0, settled: 0 },
      wallet: { chain: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
      args: new Map([['title', `a${sign}b${sign}`]]),
    } as const;
    expect(describeEvent(GIVE, event)).toBe('Voted on ab');
  },
);
