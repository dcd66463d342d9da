import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf } from '#base/time/time';
import { Discounts } from '#scoring/fold/discounts';
import {
  type ArgumentValue,
  compareEvents,
  type EvidenceEvent,
  type ScoredRow,
} from '#scoring/fold/event';
import { type FoldOptions, type FoldState, RuleFold } from '#scoring/fold/rule-fold';
import { Scoring, type WalletEvidence } from '#scoring/fold/score-wallet';
import type { EventRule, RuleSet } from '#scoring/model';
import type { Wallet } from '#wallet/wallet';
import { validRules } from '../support/rules.ts';
import { capped, countsFor, DAY, type ModelActivity, worthOf } from '../support/scoring-model.ts';

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

/** In canonical order, each at its own position. */
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
): readonly ScoredRow[] {
  const scoring = new Scoring(ruleSet, new Discounts(ruleSet));
  return scoring.wallet(
    WALLET,
    {
      events: () => events,
      retracted: () => [],
      balances: () => [],
      firstSeen: () => (events.length === 0 ? undefined : first),
    },
    () => end,
    end,
  ).rows;
}

const END = START + SPAN + 60;
const everyEvent = fc.array(event, { maxLength: 25 });

describe('what a rule gives', () => {
  it('matches a plain model, day by day', () => {
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

  it('has the same figures without its texts', () => {
    fc.assert(
      fc.property(rules, everyEvent, (ruleSet, drafts) => {
        const [rule] = ruleSet.rules as [EventRule];
        const events = inOrder(drafts, rule.trigger.kind === 'vote');
        const scoring = new Scoring(ruleSet, new Discounts(ruleSet));
        const evidence: WalletEvidence = {
          events: () => events,
          retracted: () => [],
          balances: () => [],
          firstSeen: () => (events[0] === undefined ? undefined : dayOf(events[0].time)),
        };
        const foldedBy = (options?: FoldOptions) =>
          scoring.wallet(WALLET, evidence, () => END, END, options);
        const whole = foldedBy();
        const rows = whole.rows.map((row) => ({ ...row, source: '', description: '' }));
        expect(foldedBy({ hasTexts: false })).toEqual({ ...whole, rows });
      }),
    );
  });

  it('is the same whether folded at once or in parts, with any midnights in between', () => {
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
              // As far as is known: never after the next event.
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

  it('handles amounts beyond what a double holds exactly', () => {
    const ruleSet = rulesOf(
      '{id: r, on: {source: eth, contract: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", event: "Gave(address who, uint256 amount)", since: 1}, wallet: who, where: {amount: {gte: 115792089237316195423570985008687907853269984665640564039457584007913129639935}}, give: {type: done, points: {of: amount, per: 210624583337114373395836055367340864637790190801098222508621955072, each: 1}}}',
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
    expect(rows.map(({ points }) => points)).toEqual([2 ** 39 - 1]);
  });

  it('stays exact: a wallet gets at most 10^12 points by one rule', () => {
    const most = 10n ** 12n;
    const figure = fc
      .tuple(fc.constantFrom(1n, 2n, 1000n, most - 1n, most, 2n ** 53n - 1n), fc.boolean())
      .map(([size, isLoss]) => ({ size, isLoss }));
    const settings = fc.record({
      halfLife: fc.boolean(),
      isCapped: fc.boolean(),
      young: fc.boolean(),
    });
    fc.assert(
      fc.property(figure, settings, fc.array(event, { maxLength: 12 }), (points, more, drafts) => {
        const { size, isLoss } = points;
        const gains = [
          more.halfLife && 'half_life: 40d',
          more.isCapped && 'cap: 1500000000000 ever',
        ];
        const extras = isLoss ? [] : gains.filter((each) => each !== false);
        const given = [`points: ${isLoss ? '-' : ''}${size}`, ...extras].join(', ');
        const { rules } = validRules(
          `fathom: 1
name: large
version: 1
rules:
  - {id: r, on: {import: done}, give: {type: done, ${given}}}
${more.young ? 'discounts:\n  - {id: young, first_seen_within: 20d, factor: 333}\n' : ''}`,
          {},
          true,
        );
        const events = inOrder(drafts, false);
        const rows = foldAll(rules, events, END, START);
        let [sum, gross] = [0n, 0n];
        for (const row of rows) {
          sum += BigInt(row.points);
          expect(sum <= most && sum >= -most).toBe(true);
          if (row.type === 'adjustment') continue;
          const worth = size < most - gross ? size : most - gross;
          gross += worth;
          expect(Object.is(row.points, -0)).toBe(false);
          expect(row.points + row.discounted || 0).toBe(Number(isLoss ? -worth : worth));
          expect(/cap reached|limit of 1000000000000 points/.test(row.description)).toBe(
            worth < size,
          );
        }
        expect(rows.filter(({ type }) => type === 'done')).toHaveLength(events.length);
      }),
      { numRuns: 150 },
    );
  });
});
