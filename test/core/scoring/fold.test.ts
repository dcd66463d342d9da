import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf } from '#core/scoring/days';
import { Discounts } from '#core/scoring/fold/discounts';
import { type ArgumentValue, compareEvents, type EvidenceEvent } from '#core/scoring/fold/event';
import { remaining } from '#core/scoring/fold/half-life';
import { HoldingFold } from '#core/scoring/fold/holding';
import type { ScoredRow } from '#core/scoring/fold/row';
import { type FoldState, RuleFold } from '#core/scoring/fold/rule-fold';
import { type BalanceEvent, Scoring } from '#core/scoring/fold/score-wallet';
import type { EventRule, HoldRule, RuleSet } from '#core/scoring/model';
import type { Wallet } from '#core/wallet';
import { validRules } from '../../support/rules.ts';
import {
  capped,
  countsFor,
  DAY,
  exactRemaining,
  type ModelActivity,
  worthOf,
} from '../../support/scoring-model.ts';

const WALLET: Wallet = { chain: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
/** 2024-01-01. */
const START = 19_723;
const SPAN = 150;

const give = fc
  .record({
    points: fc.oneof(
      fc.integer({ min: -20, max: 120 }).map(String),
      fc.constant('{of: amount, per: 7, each: 3, most: 90}'),
    ),
    cap: fc.option(
      fc.oneof(
        fc
          .tuple(fc.nat(300), fc.integer({ min: 1, max: 40 }))
          .map(([n, days]) => `${n} per ${days}d`),
        fc.nat(300).map((n) => `${n} ever`),
      ),
      { nil: undefined },
    ),
    halfLife: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
  })
  .map(({ points, cap, halfLife }) => {
    const isNegative = points.startsWith('-');
    const more = [
      ...(cap === undefined || isNegative ? [] : [`cap: ${cap}`]),
      ...(halfLife === undefined || isNegative ? [] : [`half_life: ${halfLife}d`]),
    ];
    return `give: {${['type: done', `points: ${points}`, ...more].join(', ')}}`;
  });

const where = fc.constantFrom('', 'where: {amount: {gt: 3}}, ', 'where: {kind: {in: [a, "1"]}}, ');
const once = fc.constantFrom('', 'once: kind, ', 'once: [kind, amount], ');
const eventRule = fc
  .tuple(fc.boolean(), where, once, give)
  .map(([isVote, conditions, key, gives]) =>
    isVote
      ? `{id: r, on: {source: snap, space: reef.eth, since: 2020-01-01}, ${gives.replace(/\{of[^}]*\}/, '33')}}`
      : `{id: r, on: {import: done}, ${conditions}${key}${gives}}`,
  );
const discounts = fc
  .array(
    fc.oneof(
      fc.nat(1000).map((factor) => `list: ./list.csv, factor: ${factor}`),
      fc
        .tuple(fc.integer({ min: 1, max: 60 }), fc.nat(1000))
        .map(([days, factor]) => `first_seen_within: ${days}d, factor: ${factor}`),
    ),
    { maxLength: 3 },
  )
  .map((each) => each.map((text, index) => `  - {id: d${index}, ${text}}\n`).join(''));

function rulesOf(rule: string, discountLines: string, isExempt: boolean): RuleSet {
  const text = `fathom: 1
name: random
version: 1
sources:
  snap: {chain: snapshot, hub: [SNAP]}
  eth: {chain: "eip155:1", rpc: [ETH]}
rules:
  - ${rule}
${discountLines === '' ? '' : `discounts:\n${discountLines}`}${isExempt ? `exempt: ["${WALLET.address}"]\n` : ''}`;
  return validRules(text, { './list.csv': WALLET.address }).rules;
}

const rules = fc
  .tuple(eventRule, discounts, fc.boolean())
  .map(([rule, lines, isExempt]) => rulesOf(rule, lines, isExempt));

const value: fc.Arbitrary<ArgumentValue> = fc.oneof(
  fc.constantFrom('a', 'b', '1', true),
  fc.bigInt(0n, 60n),
);
const event = fc
  .record({
    at: fc.nat(SPAN * DAY),
    delay: fc.nat(50 * DAY),
    place: fc.string({ maxLength: 3 }),
    amount: fc.option(fc.oneof(fc.bigInt(0n, 300n), fc.constant('12')), { nil: undefined }),
    kind: fc.option(value, { nil: undefined }),
  })
  .map(({ at, delay, place, amount, kind }) => {
    const args = new Map<string, ArgumentValue>();
    if (amount !== undefined) args.set('amount', amount);
    if (kind !== undefined) args.set('kind', kind);
    return { at: START * DAY + at, delay, place, args };
  });

type Draft = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** In canonical order, and each at a place of its own. */
function inOrder(drafts: readonly Draft[], isVote: boolean): EvidenceEvent[] {
  return drafts
    .map((each, index): EvidenceEvent => {
      const settled = isVote ? each.at + each.delay : each.at;
      const { place, args, at: time } = each;
      return { height: settled, place: `${place}${index}`, wallet: WALLET, time, settled, args };
    })
    .sort(compareEvents);
}

function foldAll(
  ruleSet: RuleSet,
  events: readonly EvidenceEvent[],
  end: number,
  first: number,
): ScoredRow[] {
  const scoring = new Scoring(ruleSet, new Discounts(ruleSet));
  return scoring.wallet(
    WALLET,
    {
      events: () => events,
      balances: () => [],
      firstSeen: () => (events.length === 0 ? undefined : first),
    },
    () => end,
    end,
  );
}

const END = START + SPAN + 60;
const everyEvent = fc.array(event, { maxLength: 25 });

describe('what a rule gives', () => {
  it('is what a plain model says, for each day', () => {
    fc.assert(
      fc.property(rules, everyEvent, (ruleSet, drafts) => {
        const rule = ruleSet.rules[0] as EventRule;
        const events = inOrder(drafts, rule.trigger.kind === 'vote');
        const first = events[0] === undefined ? 0 : dayOf(events[0].time);
        const rows = foldAll(ruleSet, events, END, first);

        const scoring = new Scoring(ruleSet, new Discounts(ruleSet));
        const seen = new Set<string>();
        const counted = events.filter((each) => {
          if (!scoring.meets(rule, each)) return false;
          const key = rule.once.map((name) => String(each.args.get(name) ?? '∅')).join('|');
          if (rule.once.length > 0 && seen.has(key)) return false;
          seen.add(key);
          return true;
        });
        const worths = counted.map((each) => ({
          worth: worthOf(rule, each),
          day: dayOf(each.time),
        }));
        const bases = capped(rule, worths);
        const activities = counted.map(
          (each, index): ModelActivity => ({
            day: dayOf(each.time),
            step: dayOf(each.settled),
            worth: worths[index]?.worth ?? 0,
            base: bases[index] ?? 0,
          }),
        );
        expect(rows.filter(({ type }) => type === 'done')).toHaveLength(activities.length);
        const ofWallet = scoring.discountsOf(WALLET, first);
        const halfLife = rule.give.halfLifeDays;
        for (let day = START; day <= END; day += 1) {
          const expected = activities
            .filter(({ step }) => step <= day)
            .reduce((sum, each) => sum + countsFor(each, ofWallet, halfLife, day), 0);
          const written = rows.filter(({ step }) => step <= day);
          const sum = written.reduce((points, each) => points + each.points, 0);
          if (sum !== expected) expect({ day, sum }).toEqual({ day, sum: expected });
        }
        const held = rows.reduce((sum, row) => sum + row.capped + row.discounted + row.decayed, 0);
        const total = rows.reduce((sum, row) => sum + row.points, 0);
        expect(total + held).toBe(activities.reduce((sum, { worth }) => sum + worth, 0));
        expect(new Set(rows.map(({ source }) => source)).size).toBe(rows.length);
      }),
      { numRuns: 150 },
    );
  });

  it('is the same read at once or in parts, with any midnights taken between', () => {
    const pause = fc.tuple(fc.nat(25), fc.nat(20));
    fc.assert(
      fc.property(
        rules,
        everyEvent,
        fc.array(pause, { maxLength: 6 }),
        (ruleSet, drafts, pauses) => {
          const rule = ruleSet.rules[0] as EventRule;
          const events = inOrder(drafts, rule.trigger.kind === 'vote');
          const first = events[0] === undefined ? 0 : dayOf(events[0].time);
          const whole = foldAll(ruleSet, events, END, first);

          const scoring = new Scoring(ruleSet, new Discounts(ruleSet));
          const ofWallet = scoring.discountsOf(WALLET, first);
          let state: FoldState | undefined;
          const rows: ScoredRow[] = [];
          const resume = () => new RuleFold(rule, WALLET, ofWallet, state);
          events.forEach((each, index) => {
            let fold = resume();
            const next = events[index + 1];
            if (scoring.meets(rule, each)) rows.push(...fold.event(each));
            for (const [at, days] of pauses) {
              if (at !== index) continue;
              state = JSON.parse(JSON.stringify(fold.state)) as FoldState;
              fold = resume();
              // As far as is known: never behind the event that comes next.
              const latest = next === undefined ? END : dayOf(next.settled);
              rows.push(...fold.advance(Math.min(latest, dayOf(each.settled) + days)));
            }
            state = JSON.parse(JSON.stringify(fold.state)) as FoldState;
          });
          if (events.length > 0) rows.push(...resume().advance(END));
          expect(rows).toEqual(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('takes amounts beyond what a double holds exactly', () => {
    const ruleSet = rulesOf(
      '{id: r, on: {source: eth, contract: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", event: "Gave(address who, uint256 amount)", since: 1}, wallet: who, where: {amount: {gte: 115792089237316195423570985008687907853269984665640564039457584007913129639935}}, give: {type: done, points: {of: amount, per: 12855504354071922204335696738729300820177623950262342682411008, each: 1}}}',
      '',
      false,
    );
    const most = 2n ** 256n - 1n;
    const rows = foldAll(
      ruleSet,
      [most, most - 1n].map((amount, index) => ({
        ...{ height: index, place: '0', wallet: WALLET, time: START * DAY, settled: START * DAY },
        args: new Map<string, ArgumentValue>([['amount', amount]]),
      })),
      END,
      START,
    );
    expect(rows.map(({ points }) => points)).toEqual([2 ** 53 - 1]);
  });
});

describe('half-lives', () => {
  it('are exact', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.nat(1000), fc.nat(2 ** 31), fc.maxSafeInteger().map(Math.abs)),
        fc.nat(400),
        fc.integer({ min: 1, max: 200 }),
        (points, days, halfLife) => {
          expect(remaining(points, days, halfLife)).toBe(exactRemaining(points, days, halfLife));
        },
      ),
    );
  });

  it('are exact where the estimate lies beside a whole number', () => {
    // ⌊k · 2^(d/h)⌋ and its neighbours are where rounding the wrong way would show.
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.nat(99), (least, days) => {
        const points = Math.round(least * 2 ** (days / 100));
        for (const each of [points - 1, points, points + 1]) {
          expect(remaining(each, days, 100)).toBe(exactRemaining(each, days, 100));
        }
      }),
    );
  });
});

describe('holding', () => {
  const change = fc.record({ at: fc.nat(40 * DAY), amount: fc.bigInt(-6n, 8n) });

  it('pays for the days on which the balance never fell below the least', () => {
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

  it('bears the midnight behind its day, and falls into the window of its day', () => {
    const ruleSet = rulesOf(
      '{id: lp, hold: {source: eth, erc20: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", min: 10, since: 1}, give: {type: done, points: 3, cap: 6 per 10d, half_life: 30d}}',
      '  - {id: young, first_seen_within: 5d, factor: 500}\n',
      false,
    );
    const balances: BalanceEvent[] = [{ amount: 10n, time: 19_738 * DAY + 5 }];
    const rows = new Scoring(ruleSet, new Discounts(ruleSet)).rule(
      ruleSet.rules[0] as HoldRule,
      WALLET,
      { events: () => [], balances: () => balances, firstSeen: () => 19_738 },
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
