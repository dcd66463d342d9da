import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { en } from '#command/texts/en/index';
import { es } from '#command/texts/es/index';
import { TokenAmount } from '#scoring/amount';
import {
  activityIn,
  describeEvent,
  descriptionIn,
  reasons,
  withReasons,
} from '#scoring/fold/ledger-text';
import type { Give } from '#scoring/model';

const GIVE: Give = {
  type: 'vote',
  points: { kind: 'fixed', points: 1 },
  cap: undefined,
  halfLifeDays: undefined,
  badge: undefined,
  text: 'Voted on {title}',
};

it.each(['\u0000', '\u001b', '\u0085', '\u061c', '\u202e', '\u2066', '\u2028', '\ud800'])(
  'The ledger keeps %j of an event out of its description',
  (sign) => {
    const event = {
      ...{ height: 1, place: 'p', time: 0, settled: 0 },
      wallet: { chain: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
      args: new Map([['title', `a${sign}b${sign}`]]),
    } as const;
    expect(describeEvent(GIVE, event)).toBe('Voted on ab');
  },
);

const EVENT = {
  ...{ height: 1, place: 'p', time: 0, settled: 0 },
  wallet: { chain: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
} as const;

it.each([
  ['2500000000000000000', 'Gave 2.5 PEARL to 7'],
  ['-1', 'Gave -0.000000000000000001 PEARL to 7'],
  ['all', 'Gave all to 7'],
])('The ledger says an amount of %s as the rule does', (amount, said) => {
  const amounts = new Map([['amount', new TokenAmount(1n, 18, 'PEARL')]]);
  const args = new Map([
    ['amount', amount],
    ['to', '7'],
  ]);
  const give = { ...GIVE, text: 'Gave {amount} to {to}', amounts };
  expect(describeEvent(give, { ...EVENT, args })).toBe(said);
});

describe('an activity, for members', () => {
  it.each([
    ['governance_vote', 'governance vote', 'voto de gobernanza'],
    [
      'governance_vote',
      withReasons('governance vote', [reasons.cap(1, 2)]),
      'voto de gobernanza (tope alcanzado: 1 de 2)',
    ],
    ['reef_dive', 'reef dive', 'reef dive'],
    ['reef_dive', '', 'reef dive'],
    ['vote', `Voted on proposal ${'83471'.repeat(15)}`, 'Voted on proposal 8347…3471'],
    [
      'gift',
      'Gave 2500000000000000000 of 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'Gave 25 × 10^17 of 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    ],
    ['vote', `Voted on 0x${'ab'.repeat(32)}`, 'Voted on 0xabab…abab'],
    ['vote', 'Voted on 123456789012345678', 'Voted on 123456789012345678'],
  ])('%s: %s', (type, description, said) => {
    expect(activityIn({ type, description }, es)).toBe(said);
  });
});

/** How the reasons begin in English: of a cap, and of a limit. */
const { cap, limit } = en.ledger;
const ENGLISH = [cap('|', ''), limit('|', '', '', false)].map((each) => each.split('|')[0] ?? each);

describe('a description in the ledger', () => {
  const reason = fc.oneof(
    fc.tuple(fc.nat(), fc.nat()).map(([points, worth]) => reasons.cap(points, worth)),
    fc.tuple(fc.integer(), fc.integer()).map(([points, worth]) => reasons.limit(points, worth)),
    fc.nat({ max: 1_000 }).map((factor) => reasons.discount('young', factor)),
  );

  it('is said in Spanish, whatever its reasons', () => {
    fc.assert(
      fc.property(fc.array(reason, { minLength: 1, maxLength: 4 }), (all) => {
        const said = descriptionIn(withReasons('Voted (yes)', all), es);
        expect(said).toMatch(/^Voted \(yes\) \(/);
        for (const words of ENGLISH) expect(said).not.toContain(words);
      }),
    );
  });

  it.each([
    [reasons.halfLife('gov-vote', 180), 'Semivida de 180 días: gov-vote'],
    [reasons.halfLife('lp', 1), 'Semivida de 1 día: lp'],
    [reasons.restored('lp', ['young', 'new-1']), 'Ya no se retiene (young, new-1): lp'],
    [
      withReasons('Workshop, 4 h', [reasons.cap(12_000, 40_000), reasons.discount('young', 505)]),
      'Workshop, 4 h (tope alcanzado: 12.000 de 40.000; young: 50,5\u00a0%)',
    ],
    [
      withReasons('', [reasons.limit(0, 5)]),
      ' (límite de 1.000.000.000.000 puntos por regla alcanzado: 0 de 5)',
    ],
    ['Half-life of 5 days: <b>', 'Half-life of 5 days: <b>'],
    ['Voted (yes)', 'Voted (yes)'],
    ['Voted (yes; cap reached: 1 of 2)', 'Voted (yes; cap reached: 1 of 2)'],
    ['', ''],
  ])('%s: %s', (kept, said) => {
    expect(descriptionIn(kept, es)).toBe(said);
  });
});
