import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { createCheckingWriter } from '#import/ledger-writer';
import { contentOf, createMemoryLedger, importTexts, inputOf } from '../support/import-ledger.ts';
import { activityLine, badgeLine, mixedLines, nameLine } from '../support/import-lines.ts';

const texts = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line));
const award = (number: number, badge: string) =>
  activityLine('solana', number, { type: 'badge_earned', badge });

describe('an import', () => {
  it('adds every line and counts it', async () => {
    const ledger = createMemoryLedger();
    const { result, refused } = await importTexts(texts(mixedLines(200)), ledger);
    expect(refused).toEqual([]);
    expect(result).toEqual({
      lines: 213,
      added: 200,
      known: 0,
      eventsAdded: 0,
      eventsKnown: 0,
      badges: 8,
      names: 5,
      refused: 0,
      stopped: false,
    });
    expect(ledger.activities.size).toBe(200);
  });

  it('adds nothing the second time', async () => {
    const ledger = createMemoryLedger();
    await importTexts(texts(mixedLines(100)), ledger);
    const before = contentOf(ledger);
    const { result } = await importTexts(texts(mixedLines(100)), ledger);
    expect(result).toMatchObject({ added: 0, known: 100 });
    expect(contentOf(ledger)).toEqual(before);
  });

  it('makes the same ledger of the same lines in any order, batch and group', async () => {
    const activity = fc.record({
      wallet: fc.nat(3),
      chain: fc.constantFrom('ethereum', 'solana', 'algorand'),
      description: fc
        .string({ unit: 'grapheme', maxLength: 20 })
        // What an import refuses: control characters and line breaks of any kind.
        .filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)),
      points: fc.integer({ min: -50, max: 50 }),
      timestamp: fc.date({ min: new Date(0), max: new Date('2025-12-01'), noInvalidDate: true }),
      badge: fc.option(fc.nat(4), { nil: undefined }),
      hasSource: fc.boolean(),
    });
    const inputs = fc
      .record({
        activities: fc.array(activity, { maxLength: 30 }),
        names: fc.uniqueArray(fc.nat(3)),
        batchLines: fc.integer({ min: 1, max: 40 }),
        group: fc.integer({ min: 1, max: 10 }),
      })
      .chain((input) => {
        const lines = [
          ...[0, 1, 2, 3, 4].map((number) => badgeLine(number)),
          ...input.names.map((number) => nameLine('solana', number)),
          ...input.activities.map(({ wallet, chain, badge, hasSource, timestamp, ...rest }, i) =>
            activityLine(chain as 'ethereum', wallet, {
              ...rest,
              timestamp: timestamp.toISOString(),
              ...(badge !== undefined && { type: 'badge_earned', badge: `badge-${badge}` }),
              ...(hasSource && { source: `test:${i}` }),
            }),
          ),
        ];
        const shuffled = fc.shuffledSubarray(lines, { minLength: lines.length });
        return fc.record({ lines: fc.constant(lines), shuffled, input: fc.constant(input) });
      });

    await fc.assert(
      fc.asyncProperty(inputs, async ({ lines, shuffled, input: { batchLines, group } }) => {
        const plain = createMemoryLedger();
        const { refused } = await importTexts(texts(lines), plain);
        expect(refused).toEqual([]);
        const other = createMemoryLedger();
        const input = inputOf(texts(shuffled), group);
        const { result } = await importTexts([], other, { input, batchLines });
        expect(result).toMatchObject({ lines: lines.length, refused: 0 });
        expect(contentOf(other)).toEqual(contentOf(plain));
      }),
      { numRuns: 150 },
    );
  });

  it("writes a batch when it's full, by lines", async () => {
    const ledger = createMemoryLedger();
    await importTexts(texts(mixedLines(100)), ledger, { batchLines: 10 });
    expect(ledger.batches).toBe(12);
  });

  it('refuses bad lines, each with its position, and adds the good ones', async () => {
    const ledger = createMemoryLedger();
    const good = activityLine('solana', 1);
    const { result, refused } = await importTexts(['{', JSON.stringify(good), '[]'], ledger);
    expect(result).toMatchObject({ lines: 3, added: 1, refused: 2 });
    expect(refused.map(({ line, refusal }) => [line.file, line.number, refusal.code])).toEqual([
      ['test.ndjson', 1, 'not-json'],
      ['test.ndjson', 3, 'not-an-object'],
    ]);
  });

  it('passes on lines that their reader has refused', async () => {
    const refusal = { kind: 'refused', code: 'not-utf-8', reason: 'r' } as const;
    const input = (async function* () {
      yield [{ file: 'f', number: 9, text: '?', refusal }];
    })();
    const { refused } = await importTexts([], createMemoryLedger(), { input });
    expect(refused).toEqual([{ line: { file: 'f', number: 9, text: '?', refusal }, refusal }]);
  });
});

describe('an activity whose badge comes later', () => {
  it('waits, and is added at the end', async () => {
    const ledger = createMemoryLedger();
    const lines = [
      award(1, 'badge-1'),
      activityLine('solana', 2),
      badgeLine(1),
      award(3, 'badge-1'),
    ];
    const { result, spooled } = await importTexts(texts(lines), ledger, { batchLines: 1 });
    expect(result).toMatchObject({ lines: 4, added: 3, refused: 0 });
    expect(spooled.map(({ number }) => number)).toEqual([1]);
  });

  it('is refused with its own number if nobody defines it', async () => {
    const lines = [badgeLine(1), award(1, 'nobody'), award(2, 'badge-1')];
    const { result, refused } = await importTexts(texts(lines), createMemoryLedger());
    expect(result).toMatchObject({ lines: 3, added: 1, refused: 1 });
    expect(refused.map(({ line, refusal }) => [line.number, refusal.code])).toEqual([
      [2, 'unknown-badge'],
    ]);
  });

  it("doesn't wait for a badge that the ledger already knows", async () => {
    const ledger = createMemoryLedger();
    await importTexts(texts([badgeLine(1)]), ledger);
    const { spooled, result } = await importTexts(texts([award(1, 'badge-1')]), ledger);
    expect(spooled).toEqual([]);
    expect(result.added).toBe(1);
  });
});

describe('an import into a check-only writer', () => {
  it('finds faults and writes nothing', async () => {
    const ledger = createMemoryLedger();
    const lines = [award(1, 'badge-1'), badgeLine(1), award(2, 'nobody')];
    const checking = createCheckingWriter(ledger);
    const { refused } = await importTexts(texts(lines), checking);
    expect(refused.map(({ line }) => line.number)).toEqual([3]);
    expect(ledger.batches).toBe(0);
  });
});

describe('a temporarily unavailable ledger', () => {
  function failing(times: number) {
    const ledger = createMemoryLedger();
    const write = ledger.write;
    let left = times;
    ledger.write = (batch) => {
      left -= 1;
      if (left >= 0) throw new RetryableError('The disk is full.');
      return write(batch);
    };
    return ledger;
  }

  it('is retried, with growing waits', async () => {
    const ledger = failing(4);
    const { result, waitedMs } = await importTexts(texts(mixedLines(20)), ledger);
    expect(result.added).toBe(20);
    expect(waitedMs).toBe(250 + 500 + 1000 + 2000);
  });

  it('is also waited for before the first line, and a stop ends that wait', async () => {
    const ledger = createMemoryLedger();
    const known = ledger.knownBadges;
    let left = 3;
    ledger.knownBadges = () => {
      left -= 1;
      if (left >= 0) throw new RetryableError('no connection left');
      return known();
    };
    const { result, waitedMs } = await importTexts(texts(mixedLines(20)), ledger);
    expect(result.added).toBe(20);
    expect(waitedMs).toBe(250 + 500 + 1000);

    left = Number.POSITIVE_INFINITY;
    const stopping = new AbortController();
    const retry = {
      deadlineMs: 60_000,
      monotonicMs: () => 0,
      sleep: async () => stopping.abort(),
    };
    const stopped = await importTexts([], ledger, { retry, signal: stopping.signal });
    expect(stopped.result).toMatchObject({ stopped: true, lines: 0 });
  });

  it('is given up after the deadline; the message says what stays and what to do', async () => {
    const ledger = failing(Number.POSITIVE_INFINITY);
    const outcome = importTexts(texts(mixedLines(20)), ledger);
    await expect(outcome).rejects.toThrow(RetryableError);
    await expect(outcome).rejects.toThrowErrorMatchingInlineSnapshot(
      `[RetryableError: The disk is full. Given up after 60 s. Committed lines stay; once that's fixed, run the same command again to complete the import.]`,
    );
    expect(ledger.activities.size).toBe(0);
  });

  it('is given up with the advice of the command that it is part of, if that has its own', async () => {
    const retry = {
      ...{ deadlineMs: 0, monotonicMs: () => 0, sleep: async () => undefined },
      advice: 'Try again.',
    };
    const outcome = importTexts(texts(mixedLines(20)), failing(Number.POSITIVE_INFINITY), {
      retry,
    });
    await expect(outcome).rejects.toThrow(/ Try again\.$/);
  });

  it('has a new deadline for each batch', async () => {
    const ledger = createMemoryLedger();
    const write = ledger.write;
    let calls = 0;
    ledger.write = (batch) => {
      calls += 1;
      if (calls % 10 !== 0) throw new RetryableError('locked');
      return write(batch);
    };
    const { result } = await importTexts(texts(mixedLines(50)), ledger, { batchLines: 20 });
    expect(result.added).toBe(50);
  });

  it('gets nothing more until it accepts what it has', async () => {
    const ledger = createMemoryLedger();
    const { stage, commit } = ledger;
    let staged = 0;
    const seen: number[] = [];
    ledger.stage = (part) => {
      staged += part.activities.length;
      return stage(part);
    };
    ledger.commit = () => {
      seen.push(staged);
      if (seen.length <= 5) throw new RetryableError('locked');
      return commit();
    };
    let clock = 0;
    await importTexts(texts(mixedLines(100)), ledger, {
      batchLines: 20,
      retry: {
        deadlineMs: 60_000,
        monotonicMs: () => clock,
        // Long enough for an import that doesn't pause to read everything.
        async sleep(ms) {
          clock += ms;
          await new Promise((resolve) => setTimeout(resolve, 20));
        },
      },
    });
    expect(new Set(seen.slice(0, 6)).size).toBe(1);
    expect(staged).toBe(100);
  });

  it("doesn't fail an import that merely couldn't be cleaned up after", async () => {
    const ledger = createMemoryLedger();
    ledger.finish = () => {
      throw new RetryableError('locked');
    };
    expect((await importTexts(texts(mixedLines(20)), ledger)).result.added).toBe(20);
  });

  it("isn't retried after any other error", async () => {
    const ledger = createMemoryLedger();
    let calls = 0;
    ledger.write = () => {
      calls += 1;
      throw new Error('a bug');
    };
    await expect(importTexts(texts(mixedLines(20)), ledger)).rejects.toThrow('a bug');
    expect(calls).toBe(1);
  });
});

describe('a signal', () => {
  it('stops between batches: what was written stays, the rest is left for the next time', async () => {
    const ledger = createMemoryLedger();
    const controller = new AbortController();
    const write = ledger.write;
    ledger.write = (batch) => {
      const result = write(batch);
      controller.abort();
      return result;
    };
    const stopped = await importTexts(texts(mixedLines(100)), ledger, {
      batchLines: 21,
      signal: controller.signal,
    });
    expect(stopped.result.stopped).toBe(true);
    expect(ledger.batches).toBe(1);
    ledger.write = write;
    await importTexts(texts(mixedLines(100)), ledger);
    const whole = createMemoryLedger();
    await importTexts(texts(mixedLines(100)), whole);
    expect(contentOf(ledger)).toEqual(contentOf(whole));
  });

  it('ends a wait for a locked ledger', async () => {
    const ledger = createMemoryLedger();
    ledger.write = () => {
      throw new RetryableError('locked');
    };
    const controller = new AbortController();
    const { result } = await importTexts(texts(mixedLines(20)), ledger, {
      signal: controller.signal,
      retry: { deadlineMs: 60_000, monotonicMs: () => 0, sleep: async () => controller.abort() },
    });
    expect(result).toMatchObject({ stopped: true, added: 0 });
  });
});
