import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { createCheckingWriter } from '#import/ledger-writer';
import { createMemoryLedger, importTexts } from '../support/import-ledger.ts';
import { activityLine, badgeLine } from '../support/import-lines.ts';

const texts = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line));
const award = (number: number, badge: string) =>
  activityLine('solana', number, { type: 'badge_earned', badge });

describe('an event that comes again with other content', () => {
  const event = (points: number, source = 'test:1') =>
    activityLine('solana', 1, { points, source });

  it('is refused with its line, whatever its batch', async () => {
    for (const batchLines of [1, 2, 50]) {
      const ledger = createMemoryLedger();
      const lines = [event(1), event(2, 'test:2'), event(1), event(3), event(4, 'test:2')];
      const { result, refused } = await importTexts(texts(lines), ledger, { batchLines });
      expect(result).toMatchObject({ lines: 5, added: 2, known: 1, refused: 2 });
      expect(refused.map(({ line, refusal }) => [line.number, refusal.code])).toEqual([
        [4, 'differs'],
        [5, 'differs'],
      ]);
      expect([...ledger.activities.values()].map(({ points }) => points)).toEqual([1, 2]);
    }
  });

  it('is refused with its line after failed attempts', async () => {
    const ledger = createMemoryLedger();
    const { commit } = ledger;
    let calls = 0;
    ledger.commit = () => {
      calls += 1;
      if (calls % 2 === 1) throw new RetryableError('locked');
      return commit();
    };
    const lines = [event(1), event(2), event(1), event(3)];
    const { refused } = await importTexts(texts(lines), ledger, { batchLines: 1 });
    expect(refused.map(({ line }) => line.number)).toEqual([2, 4]);
  });

  it('is found by a check, in the ledger and in the input itself, however far apart', async () => {
    const ledger = createMemoryLedger();
    await importTexts(texts([event(1)]), ledger);
    const others = Array.from({ length: 12_000 }, (_, i) => event(i, `other:${i}`));
    const lines = [event(9), event(5, 'test:2'), ...others, event(5, 'test:2'), event(6, 'test:2')];
    const { result, refused } = await importTexts(texts(lines), createCheckingWriter(ledger), {
      batchLines: 5_000,
    });
    expect(refused.map(({ line, refusal }) => [line.number, refusal.code])).toEqual([
      [1, 'differs'],
      [12_004, 'differs'],
    ]);
    expect(result).toMatchObject({ lines: 12_004, refused: 2, added: 0 });
    expect(ledger.activities.size).toBe(1);
  });

  it('is found by a check although the ledger is unavailable at times', async () => {
    const ledger = createMemoryLedger();
    await importTexts(texts([event(1)]), ledger);
    const { compare } = ledger;
    let calls = 0;
    ledger.compare = (...asked) => {
      calls += 1;
      if (calls % 2 === 1) throw new RetryableError('away');
      return compare(...asked);
    };
    const others = Array.from({ length: 12_000 }, (_, i) => event(i, `other:${i}`));
    const { refused } = await importTexts(
      texts([...others, event(2), ...others.slice(0, 10)]),
      createCheckingWriter(ledger),
      { batchLines: 7_000 },
    );
    expect(refused.map(({ line }) => line.number)).toEqual([12_001]);
  });
});

describe('a correction', () => {
  const event = activityLine('solana', 1, { points: 5, source: 'test:1' });
  const correction = (points: number) => ({ ...event, kind: 'correction', points });

  it('is applied after everything that it may correct, in line order', async () => {
    const ledger = createMemoryLedger();
    const lines = [correction(1), correction(2), event, award(1, 'badge-1'), badgeLine(1)];
    const { result, refused } = await importTexts(texts(lines), ledger, { batchLines: 1 });
    expect(refused).toEqual([]);
    expect(result).toMatchObject({ lines: 5, added: 4, refused: 0 });
    expect(ledger.corrections.map(({ points }) => points)).toEqual([1, 2]);
    const [activity] = ledger.activities.values();
    expect(ledger.corrections[0]?.corrects).toBe(activity?.id);
    expect(new Set([activity?.id, ...ledger.corrections.map(({ id }) => id)]).size).toBe(3);
  });

  it('A correction of an unknown activity is refused with its line, by a check too', async () => {
    const lines = [event, { ...correction(1), source: 'test:2' }, correction(2)];
    const ledger = createMemoryLedger();
    for (const writer of [createCheckingWriter(ledger), ledger]) {
      const { refused } = await importTexts(texts(lines), writer, { batchLines: 1 });
      expect(refused.map(({ line, refusal }) => [line.number, refusal.code])).toEqual([
        [2, 'unknown-activity'],
      ]);
    }
  });
});
