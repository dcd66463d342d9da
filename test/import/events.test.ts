import { describe, expect, it, onTestFinished } from 'vitest';
import { createCheckingWriter } from '#import/ledger-writer';
import type { Store } from '#storage/store';
import { openQuietly } from '../support/filled-store.ts';
import { importTexts } from '../support/import-ledger.ts';
import { activityLine, addressOf } from '../support/import-lines.ts';

const texts = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line));
const event = (source: string, session: number) => ({
  kind: 'event',
  address: addressOf('ethereum', 1),
  event: 'workshop_attended',
  timestamp: '2024-01-15T00:00:00Z',
  source,
  args: { session },
});

async function memoryStore(): Promise<Store> {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  return store;
}

describe('an import of events', () => {
  it.each([1, 2, 50])('adds each once and refuses what differs, in batches of %i', async (size) => {
    const writer = (await memoryStore()).openWriter();
    const lines = [
      ...[event('a', 1), activityLine('solana', 1, { source: 'x' }), event('b', 1), event('a', 1)],
      ...[event('a', 2), activityLine('solana', 1, { source: 'x', points: -1 }), event('c', 3)],
    ];
    const { result, refused } = await importTexts(texts(lines), writer, { batchLines: size });
    expect(result).toMatchObject({
      ...{ lines: 7, added: 1, known: 0, eventsAdded: 3, eventsKnown: 1, refused: 2 },
    });
    const inOrder = refused.toSorted((x, y) => x.line.number - y.line.number);
    expect(inOrder.map(({ line, refusal }) => [line.number, refusal.code])).toEqual([
      [5, 'differs'],
      [6, 'differs'],
    ]);
  });

  it('is checked against what is there, and against itself', async () => {
    const store = await memoryStore();
    await importTexts(texts([event('a', 1)]), store.openWriter());
    const lines = [event('a', 1), event('b', 1), event('a', 2), event('b', 2), event('b', 1)];
    const checking = createCheckingWriter(store.openWriter());
    const { refused } = await importTexts(texts(lines), checking);
    expect(refused.map(({ line }) => line.number)).toEqual([3, 4]);
    const { result } = await importTexts(texts([event('b', 1)]), store.openWriter());
    expect(result).toMatchObject({ eventsAdded: 1 });
  });
});
