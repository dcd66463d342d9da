import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportedEvent } from '#reputation/activity';
import type { Store } from '#storage/store';
import {
  ALGO_A,
  activityOf,
  batchOf,
  ETH_A,
  ETH_B,
  eventOf,
  SOL_A,
  writeTo,
} from '../support/ledger.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps imported events. */
export function evidenceContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of evidence`, () => {
    let store: Store;

    beforeEach(async () => {
      store = await under.open();
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const add = async (...events: ImportedEvent[]) =>
      (await writeTo(store, batchOf({ events }))).events;

    it('adds an event once', async () => {
      const events = [eventOf(ETH_A, 'a'), eventOf(SOL_A, 'a'), eventOf(ETH_A, 'b')];
      expect(await add(...events)).toEqual({ added: 3, known: 0, refused: [] });
      expect(await add(...events, eventOf(ETH_A, 'a', { event: 'other' }))).toEqual({
        added: 1,
        known: 3,
        refused: [],
      });
    });

    it('adds a duplicate within a batch once', async () => {
      expect(await add(eventOf(ETH_A, 'a'), eventOf(ETH_A, 'a'))).toEqual({
        added: 1,
        known: 1,
        refused: [],
      });
    });

    it('refuses differing content by its position, and adds the rest', async () => {
      const args = '{"session":"7"}';
      await add(eventOf(ETH_A, 'a', { args }), eventOf(ETH_A, 'b'));
      const events = [
        eventOf(ALGO_A, 'a'),
        eventOf(ETH_A, 'a'),
        eventOf(ETH_A, 'a', { args }),
        eventOf(ETH_A, 'b', { timestamp: 1_700_000_060 }),
        eventOf(ETH_B, 'c', { args: '{"n":"1"}' }),
        eventOf(ETH_B, 'c', { args: '{"n":"2"}' }),
      ];
      const writer = store.openWriter();
      const compared = await writer.compareEvents(events);
      // Only an existing event can differ.
      expect(compared.map(({ place }) => place).toSorted()).toEqual([1, 3]);
      await writer.finish();
      const { refused = [], ...counts } = (await add(...events)) ?? {};
      expect(counts).toEqual({ added: 2, known: 1 });
      const inOrder = refused.toSorted((x, y) => x.place - y.place);
      expect(inOrder.map(({ place, code }) => [place, code])).toEqual([
        [1, 'differs'],
        [3, 'differs'],
        [5, 'differs'],
      ]);
      expect(inOrder[0]?.reason).toContain(`args are ${args} there and {} here`);
      expect(inOrder[1]?.reason).toContain(
        'timestamp is 2023-11-14T22:13:20Z there and 2023-11-14T22:14:20Z here',
      );
    });

    it('keeps texts of any form as they are', async () => {
      const texts = ["it's \\ \\N \\.", '🐳"', '{}', '\u2028', "'"];
      const events = texts.map((text) =>
        eventOf(ETH_A, text, { args: JSON.stringify({ [text]: text }) }),
      );
      expect(await add(...events)).toMatchObject({ added: texts.length });
      expect(await add(...events)).toEqual({ added: 0, known: texts.length, refused: [] });
    });

    it('is added beside activities, without making anyone a user', async () => {
      const source = await store.openSource();
      const batch = batchOf({
        activities: [activityOf(ETH_A, 'a'), activityOf(ETH_A, 'a', { points: 3 })],
        events: [eventOf(SOL_A, 'a'), eventOf(SOL_A, 'a', { args: '{"n":"1"}' })],
      });
      const commit = await writeTo(store, batch);
      expect(commit).toMatchObject({
        ...{ added: 1, known: 0, refused: [{ place: 1 }] },
        events: { added: 1, known: 0, refused: [{ place: 1 }] },
      });
      await store.refresh();
      expect(await source.reading().reputation(SOL_A)).toBeUndefined();
      expect((await source.reading().stats()).totalUsers).toBe(1);
      await writeTo(store, batchOf({ activities: [activityOf(SOL_A, 'b', { points: 7 })] }));
      await store.refresh();
      expect(await source.reading().reputation(SOL_A)).toMatchObject({ score: 7, totalUsers: 2 });
    });
  });
}
