import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fromActivityColumns,
  joinActivityColumns,
  type LedgerActivity,
  textAt,
  toActivityColumns,
} from '#reputation/activity';
import { anyString } from '../support/any-string.ts';
import { ALL_WALLETS } from '../support/ledger.ts';

const text = anyString({ maxLength: 20 });
const activity: fc.Arbitrary<LedgerActivity> = fc.record({
  id: fc.string({ minLength: 16, maxLength: 16 }),
  wallet: fc.constantFrom(...ALL_WALLETS),
  type: text,
  description: text,
  points: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
  timestamp: fc.integer({ min: 0, max: 4_000_000_000 }),
  badge: fc.option(fc.string({ minLength: 1, maxLength: 8 }), { nil: undefined }),
});
const list = fc.array(activity, { maxLength: 20 });

it('Activity columns return activities unchanged', () => {
  fc.assert(
    fc.property(list, (activities) => {
      expect(fromActivityColumns(toActivityColumns(activities))).toEqual(activities);
    }),
  );
});

it('Activity columns join parts into the whole, in order', () => {
  fc.assert(
    fc.property(fc.array(list, { maxLength: 5 }), (parts) => {
      expect(fromActivityColumns(joinActivityColumns(parts.map(toActivityColumns)))).toEqual(
        parts.flat(),
      );
    }),
  );
});

it('Activity columns keep the place of an empty text', () => {
  const [first] = fc.sample(activity, { numRuns: 1, seed: 1 });
  const columns = toActivityColumns([{ ...first!, description: '' }, first!]);
  expect([textAt(columns.descriptions, 0), textAt(columns.descriptions, 1)]).toEqual([
    '',
    first?.description,
  ]);
});
