import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_SECONDS, dateOf } from '#base/time/time';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import { activityOf, batchOf, ETH_A, eventOf, writeTo } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import { validRules } from '../support/rules.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const at = (day: number, seconds = 0) => (TODAY + day) * DAY_SECONDS + seconds;
const day = (offset: number) => dateOf(TODAY + offset);
const workshop =
  '{id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: 25}}';

/** A wallet's score by day, for every source that knows. */
export function historyContract(name: string, under: StoreUnderTest): void {
  describe(`${name} tells scores by day`, () => {
    let store: Store;
    let source: ReputationSource;
    let scored: ScoredStore;

    beforeEach(async () => {
      store = await under.open();
      source = await store.openSource((text) => validRules(text, undefined, true).rules);
      scored = new ScoredStore(store, TODAY);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    async function reading() {
      await refreshed(store);
      return source.reading();
    }

    it('returns only the requested days, and at most the newest thousand', async () => {
      const activities = Array.from({ length: 1_100 }, (_, i) =>
        activityOf(ETH_A, `m${i.toString(32).padStart(3, '0')}`, {
          points: i % 7 === 0 ? 0 : 1,
          timestamp: at(-1_100 + i, 5),
        }),
      );
      await writeTo(store, batchOf({ activities }));
      // Later ones, so that the wallet was busy before.
      await writeTo(
        store,
        batchOf({
          activities: [
            activityOf(ETH_A, 'late', { points: 100, timestamp: at(-600) }),
            activityOf(ETH_A, 'down', { points: -2_000, timestamp: at(-1) }),
          ],
        }),
      );
      const now = await reading();
      const days = async (from?: number, to?: number) => {
        const range = {
          from: from === undefined ? undefined : TODAY + from,
          to: to === undefined ? undefined : TODAY + to,
        };
        return (await now.history(ETH_A, range))?.days ?? [];
      };
      const all = await days();
      // Of 1,100 days 158 have 0 points; the first of them starts the history, the last has more.
      expect(all).toHaveLength(944);
      expect(all.at(-1)).toEqual({ day: day(-1), score: 0 });
      expect(await days(-3, -2)).toEqual(
        all.filter((each) => each.day >= day(-3) && each.day <= day(-2)),
      );
      expect(await days(-3, -3)).toHaveLength(1);
      expect(await days(5)).toEqual([]);
      const more = Array.from({ length: 200 }, (_, i) =>
        activityOf(ETH_A, `n${i}`, { points: 9_000 + i, timestamp: at(-1_500 + i) }),
      );
      await writeTo(store, batchOf({ activities: more }));
      const longer = (await (await reading()).history(ETH_A, {}))?.days ?? [];
      expect(longer).toHaveLength(1_000);
      expect(longer.at(-1)?.day).toBe(day(-1));
      expect(longer.map((each) => each.day)).toEqual(longer.map((each) => each.day).toSorted());
    });

    it('sums up by day a wallet with very many rule-made activities, as it follows', async () => {
      const events = Array.from({ length: 505 }, (_, i) =>
        eventOf(ETH_A, `w${i}`, { timestamp: at(-300 + (i % 100), i) }),
      );
      await scored.add(...events);
      await scored.apply(rulesText([workshop]));
      const history = async () => (await (await reading()).history(ETH_A, {}))?.days ?? [];
      const first = await history();
      expect([first.length, first.at(-1)?.score]).toEqual([100, 505 * 25]);
      await scored.add(eventOf(ETH_A, 'late', { timestamp: at(-299) }));
      await scored.follow();
      const then = await history();
      expect([then.length, then.at(-1)?.score]).toEqual([100, 506 * 25]);
      expect(then[1]).toEqual({ ...first[1], score: Number(first[1]?.score) + 25 });
    });
  });
}
