import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { type RetractionKind, retractionEvidence } from '#import/retraction';
import { descriptionIn } from '#scoring/fold/ledger-text';
import { IMPORT } from '#scoring/model';
import { Evaluation } from '#scoring/score-versions/evaluation';
import type { StoredEvent } from '#scoring/score-versions/score-version';
import { validRules } from '../support/rules.ts';
import { rulesText, TODAY } from '../support/scoring.ts';

const sha256Hex = (text: string) => hash('sha256', text);
const WALLET = {
  chain: 'ethereum',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
} as const;
const DAY = 86_400;

const RULES = rulesText(
  [
    '{id: workshop, on: {import: workshop}, once: n, give: {type: attended, points: 25, cap: 60 per 30d, half_life: 90d, badge: guest}}',
    '{id: talk, on: {import: talk}, where: {n: {gte: 2}}, give: {type: attended, points: 40, text: "Talk {n}"}}',
  ],
  {
    more: `badges:
  - {id: guest, name: Guest, description: d, tier: Rare, imageUrl: "https://example.org/g.png", soulbound: true}
  - {id: regular, name: Regular, description: d, tier: Epic, imageUrl: "https://example.org/r.png", soulbound: true, need: {type: attended, count: 2, within: 60d}, keep: while}
discounts:
  - {id: young, first_seen_within: 20d, factor: 500}
`,
  },
);
const evaluation = new Evaluation(validRules(RULES).rules, sha256Hex);

interface Decision {
  readonly kind: RetractionKind;
  readonly of: number;
  readonly day: number;
  readonly reason: string;
}

const event = (input: string, source: string, day: number, n: number): StoredEvent => {
  const time = (TODAY - day) * DAY;
  return { source: IMPORT, input, height: time, place: source, time, args: `{"n":"${n}"}` };
};

function evidenceOf(
  { kind, of, day, reason }: Decision,
  events: readonly StoredEvent[],
): StoredEvent {
  const about = events[of % events.length] as StoredEvent;
  const timestamp = (TODAY - day) * DAY;
  const { event, source, args } = retractionEvidence(
    { kind, wallet: WALLET, event: about.input, source: about.place, reason, timestamp },
    sha256Hex,
  );
  return { source: IMPORT, input: event, height: timestamp, place: source, time: timestamp, args };
}

const score = (events: readonly StoredEvent[]) =>
  evaluation.score({ number: 1, wallet: WALLET, events }, TODAY);

const eventArb = fc.record({
  input: fc.constantFrom('workshop', 'talk'),
  source: fc.constantFrom('a', 'b', 'c', 'd'),
  day: fc.integer({ min: 0, max: 300 }),
  n: fc.integer({ min: 1, max: 3 }),
});
const decisionArb = fc.record({
  kind: fc.constantFrom('retraction' as const, 'restoration' as const),
  of: fc.nat(20),
  // Each at a time of its own: of two of one second, either may count.
  day: fc.integer({ min: 0, max: 300 }),
  reason: fc.constantFrom('Wrong wallet', 'Twice (by mistake)'),
});

it('a retracted event gives what it would if it had never been imported', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(eventArb, {
        minLength: 1,
        selector: (each) => `${each.input} ${each.source}`,
      }),
      fc.uniqueArray(decisionArb, { selector: ({ day }) => day }),
      fc.boolean(),
      (given, decisions, isReversed) => {
        const events = given.map(({ input, source, day, n }) => event(input, source, day, n));
        const evidence = decisions.map((each) => evidenceOf(each, events));
        const all = [...events, ...evidence];
        const isRetracted = events.map((_, index) => {
          const about = decisions.filter(({ of }) => of % events.length === index);
          return about.toSorted((a, b) => a.day - b.day)[0]?.kind === 'retraction';
        });
        const told = score(isReversed ? all.toReversed() : all);
        const plain = score(events.filter((_, index) => !isRetracted[index]));
        expect({ sums: told.sums, badges: told.badges }).toEqual({
          sums: plain.sums,
          badges: plain.badges,
        });
        const counting = told.rows.filter(
          ({ description }) => !description.includes('(retracted:'),
        );
        expect(counting).toEqual(plain.rows);
        for (const row of told.rows) if (!counting.includes(row)) expect(row.points).toBe(0);
      },
    ),
  );
});

it('A retraction is told with its reason, in the reader’s language, as the same activity', () => {
  const talk = event('talk', 'a', 3, 2);
  const before = score([talk]).rows[0];
  const decision = { kind: 'retraction', of: 0, day: 1, reason: 'Twice (by mistake)' } as const;
  const after = score([talk, evidenceOf(decision, [talk])]).rows[0];
  expect(after).toEqual({
    ...before,
    points: 0,
    description: 'Talk 2 (retracted: Twice [by mistake])',
  });
  expect(descriptionIn(after?.description ?? '', textsFor('es'))).toBe(
    `Talk 2 (${textsFor('es').ledger.retracted('Twice [by mistake]')})`,
  );
});
