import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf } from '#base/time/time';
import { Discounts } from '#scoring/fold/discounts';
import { type BalanceEvent, HoldingFold, Scoring } from '#scoring/fold/score-wallet';
import type { HoldRule } from '#scoring/model';
import type { Wallet } from '#wallet/wallet';
import { fileOf, validRules } from '../support/rules.ts';
import { DAY } from '../support/scoring-model.ts';

const WALLET: Wallet = { chain: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };

describe('holding', () => {
  const change = fc.record({ at: fc.nat(40 * DAY), amount: fc.bigInt(-6n, 8n) });

  it('pays for days on which the balance never fell below the minimum', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.bigInt(1n, 10n), (drafts, min) => {
        const changes = drafts.sort((one, other) => one.at - other.at);
        const fold = new HoldingFold(min);
        const paid: number[] = [];
        for (const { at, amount } of changes) {
          paid.push(...fold.advance(dayOf(at)));
          fold.change(amount, at);
        }
        if (changes.length > 0) paid.push(...fold.advance(50));

        const expected: number[] = [];
        for (let day = 0; day < 50; day++) {
          const before = changes.filter(({ at }) => dayOf(at) < day);
          let balance = before.reduce((sum, { amount }) => sum + amount, 0n);
          let isHeld = balance >= min;
          for (const { at, amount } of changes) {
            if (dayOf(at) !== day) continue;
            balance += amount;
            isHeld &&= balance >= min;
          }
          if (isHeld) expected.push(day);
        }
        expect(paid).toEqual(expected);
      }),
    );
  });

  it('is dated to the midnight after its day, and counts towards the window of its day', () => {
    const { rules: ruleSet } = validRules(`${fileOf(
      '{id: lp, hold: {source: eth, erc20: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", min: 10, since: 1}, give: {type: done, points: 3, cap: 6 per 10d, half_life: 30d}}',
    )}discounts:
  - {id: young, first_seen_within: 5d, factor: 500}
`);
    const balances: BalanceEvent[] = [{ amount: 10n, time: 19_738 * DAY + 5 }];
    const { rows } = new Scoring(ruleSet, new Discounts(ruleSet)).rule(
      ruleSet.rules[0] as HoldRule,
      WALLET,
      { events: () => [], retracted: () => [], balances: () => balances, firstSeen: () => 19_738 },
      () => 19_756,
    );
    expect(
      rows.map(({ source, points, timestamp, step }) => ({
        source,
        points,
        day: timestamp / DAY,
        step,
      })),
    ).toMatchInlineSnapshot(`
      [
        {
          "day": 19740,
          "points": 1,
          "source": "lp:eth:held:2024-01-17",
          "step": 19739,
        },
        {
          "day": 19741,
          "points": 1,
          "source": "lp:eth:held:2024-01-18",
          "step": 19740,
        },
        {
          "day": 19742,
          "points": 1,
          "source": "lp:eth:held:2024-01-19",
          "step": 19741,
        },
        {
          "day": 19743,
          "points": 0,
          "source": "lp:eth:held:2024-01-20",
          "step": 19742,
        },
        {
          "day": 19743,
          "points": 6,
          "source": "lp:eth:restored:2024-01-21",
          "step": 19743,
        },
        {
          "day": 19744,
          "points": 0,
          "source": "lp:eth:held:2024-01-21",
          "step": 19743,
        },
        {
          "day": 19745,
          "points": 0,
          "source": "lp:eth:held:2024-01-22",
          "step": 19744,
        },
        {
          "day": 19746,
          "points": 0,
          "source": "lp:eth:held:2024-01-23",
          "step": 19745,
        },
        {
          "day": 19747,
          "points": 0,
          "source": "lp:eth:held:2024-01-24",
          "step": 19746,
        },
        {
          "day": 19748,
          "points": 0,
          "source": "lp:eth:held:2024-01-25",
          "step": 19747,
        },
        {
          "day": 19749,
          "points": 0,
          "source": "lp:eth:held:2024-01-26",
          "step": 19748,
        },
        {
          "day": 19750,
          "points": 0,
          "source": "lp:eth:held:2024-01-27",
          "step": 19749,
        },
        {
          "day": 19751,
          "points": 3,
          "source": "lp:eth:held:2024-01-28",
          "step": 19750,
        },
        {
          "day": 19752,
          "points": 3,
          "source": "lp:eth:held:2024-01-29",
          "step": 19751,
        },
        {
          "day": 19753,
          "points": 0,
          "source": "lp:eth:held:2024-01-30",
          "step": 19752,
        },
        {
          "day": 19754,
          "points": 0,
          "source": "lp:eth:held:2024-01-31",
          "step": 19753,
        },
        {
          "day": 19754,
          "points": -5,
          "source": "lp:eth:half-life:2024-02-01",
          "step": 19754,
        },
        {
          "day": 19755,
          "points": 0,
          "source": "lp:eth:held:2024-02-01",
          "step": 19754,
        },
        {
          "day": 19756,
          "points": 0,
          "source": "lp:eth:held:2024-02-02",
          "step": 19755,
        },
      ]
    `);
  });
});
