import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import { activityOf, batchOf, ETH_A, ETH_B, SOL_A, writeTo } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store lists a wallet's activities, whole and page by page. */
export function activityListContract(name: string, under: StoreUnderTest): void {
  describe(`${name} lists activities`, () => {
    let store: Store;
    let source: ReputationSource;

    beforeEach(async () => {
      store = await under.open();
      source = await store.openSource();
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    async function write(change: Parameters<typeof batchOf>[0]) {
      const result = await writeTo(store, batchOf(change));
      await refreshed(store);
      return result;
    }

    it('activities are newest first, equal times by id, limited, with the total count', async () => {
      await write({
        activities: [
          activityOf(ETH_A, 'c', { timestamp: 100 }),
          activityOf(ETH_A, 'a', { timestamp: 100 }),
          activityOf(ETH_A, 'z', { timestamp: 300, points: -7, type: 'slashed' }),
          activityOf(ETH_A, 'b', { timestamp: 200 }),
          activityOf(SOL_A, 'q', { timestamp: 900 }),
        ],
      });
      const list = await source.reading().activity(ETH_A, 3);
      expect(list?.total).toBe(4);
      expect(list?.activities.map((each) => each.id[4])).toEqual(['z', 'b', 'a']);
      expect(list?.activities[0]).toEqual({
        id: 'act_z000000000000000',
        type: 'slashed',
        description: 'did z',
        points: -7,
        timestamp: '1970-01-01T00:05:00Z',
      });
    });

    it('all activities, page by page, whatever arrives meanwhile', async () => {
      // 100 share each time, so pages begin within one.
      const all = Array.from({ length: 1_050 }, (_, i) =>
        activityOf(ETH_A, `v${(((i * 7919) % 1_050) + 2_000).toString(32)}v`, {
          timestamp: 1_000 + (i % 11),
        }),
      );
      await write({ activities: [...all.slice(0, 400), activityOf(SOL_A, 'sold')] });
      const ordered = (written: typeof all) =>
        written.toSorted((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? -1 : 1));
      const readAll = async (limit: number, after?: string, meanwhile?: () => Promise<void>) => {
        const ids: string[] = [];
        for (let next: string | null | undefined = after; next !== null; ) {
          const page = await source.reading().activities(ETH_A, { after: next, limit });
          if (page === undefined) throw new Error('the wallet is gone');
          expect(page.activities.length).toBeLessThanOrEqual(limit);
          expect(page.hasMore).toBe(page.next !== null);
          ids.push(...page.activities.map(({ id }) => id.slice(4)));
          next = page.next;
          await meanwhile?.();
        }
        return ids;
      };
      const first = ordered(all.slice(0, 400)).map(({ id }) => id);
      expect(await readAll(1_000)).toEqual(first);
      expect(await readAll(37)).toEqual(first);
      // What arrives meanwhile and is newer isn't on the pages that follow.
      let n = 0;
      const arrive = async () => {
        n += 1;
        const activity = activityOf(ETH_A, `new${n.toString(32)}v`, { timestamp: 5_000 + n });
        await write({ activities: [activity] });
      };
      const [, ...later] = first;
      expect(await readAll(150, `act_${first[0]}`, arrive)).toEqual(later);
      // It's a busy wallet by then.
      await write({ activities: all.slice(400) });
      const news = (await readAll(1_000)).slice(0, n);
      expect(await readAll(97)).toEqual([...news, ...ordered(all).map(({ id }) => id)]);
      const last = ordered(all).at(-1)?.id ?? '';
      expect(await source.reading().activities(ETH_A, { after: `act_${last}`, limit: 5 })).toEqual({
        address: ETH_A.address,
        activities: [],
        next: null,
        hasMore: false,
      });
    });

    it('refuses to go on after what a wallet does not have', async () => {
      await write({ activities: [activityOf(ETH_A, 'a'), activityOf(SOL_A, 'b')] });
      const pageAfter = async (wallet: typeof ETH_A, id: string) =>
        source.reading().activities(wallet, { after: id, limit: 5 });
      const gone = { code: 'cursor-gone' };
      await expect(pageAfter(ETH_A, 'act_b000000000000000')).rejects.toMatchObject(gone);
      await expect(pageAfter(ETH_A, 'act_x')).rejects.toMatchObject(gone);
      await expect(pageAfter(ETH_A, 'other')).rejects.toMatchObject(gone);
      expect(await pageAfter(ETH_B, 'act_b000000000000000')).toBeUndefined();
      expect(await pageAfter(SOL_A, 'act_b000000000000000')).toMatchObject({ activities: [] });
    });

    it("a busy wallet's newest activities are right at any limit, equal times by id", async () => {
      // Over several batches, so that it becomes busy in the middle of one.
      const all = Array.from({ length: 1_700 }, (_, i) =>
        activityOf(ETH_A, (((i * 7919) % 1_700) + 2_000).toString(32), {
          timestamp: 1_000 + ((i * 31) % 700),
        }),
      );
      for (let from = 0; from < all.length; from += 170) {
        await write({
          activities: [...all.slice(from, from + 170), activityOf(SOL_A, `s${from.toString(32)}`)],
        });
        const written = all.slice(0, from + 170);
        const ordered = written.sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? -1 : 1));
        const list = await source.reading().activity(ETH_A, 200);
        expect(list?.total).toBe(written.length);
        expect(list?.activities.map((each) => each.id.slice(4))).toEqual(
          ordered.slice(0, 200).map((each) => each.id),
        );
        all.splice(0, written.length, ...written);
      }
    });
  });
}
