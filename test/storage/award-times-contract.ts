import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_SECONDS, dayOf, parseTime } from '#base/time/time';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import {
  activityOf,
  badgeNamed,
  batchOf,
  correctionOf,
  ETH_A,
  ETH_B,
  eventOf,
  writeTo,
} from '../support/ledger.ts';
import { rulesText, ScoredStore, shownBy, TODAY, toldOf, workshop } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const WALLETS = [ETH_A, ETH_B];
const at = (day: number) => (TODAY + day) * DAY_SECONDS;

/** When badges were earned, by imports, corrections and rules, in every store. */
export function awardTimesContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of award times`, () => {
    let store: Store;
    let source: ReputationSource;
    let scored: ScoredStore;

    beforeEach(async () => {
      store = await under.open();
      source = await store.openSource();
      scored = new ScoredStore(store, TODAY);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    /** What is shown by a store that followed along and by one just loaded. */
    async function shown() {
      const told = await shownBy(store, source, WALLETS);
      const other = await under.again?.();
      if (other !== undefined) {
        expect(await toldOf(await other.openSource(), WALLETS)).toEqual(told);
        await other.close();
      }
      return told;
    }

    it('a badge counts from the earlier of what an import and the rules say, as either changes', async () => {
      const seen =
        '{id: seen, name: Seen, description: x, tier: Rare, imageUrl: "https://example.org/s.png", soulbound: true}';
      const rule = workshop.replace('points: 25', 'points: 25, badge: seen');
      const text = (version: number, rules: string[]) =>
        rulesText(rules, { version, more: `badges:\n  - ${seen}\n` });
      const days = async () =>
        (await shown()).map(({ list }) =>
          list?.map(({ earnedAt }) => dayOf(parseTime(earnedAt) as number) - TODAY),
        );
      const imported = { type: 'badge_earned', badge: 'seen', points: 0 };
      await writeTo(
        store,
        batchOf({
          badges: [badgeNamed('seen')],
          activities: [activityOf(ETH_A, 'a', { ...imported, timestamp: at(-3) })],
        }),
      );
      await scored.add(
        eventOf(ETH_A, 'w1', { timestamp: at(-2) }),
        eventOf(ETH_B, 'w1', { timestamp: at(-2) }),
      );
      await scored.apply(text(1, [rule]));
      expect(await days()).toEqual([[-3], [-2]]);
      // Late: the wallets keep the badge, from another time on.
      await scored.add(
        eventOf(ETH_A, 'w0', { timestamp: at(-5) }),
        eventOf(ETH_B, 'w0', { timestamp: at(-6) }),
      );
      await scored.follow();
      expect(await days()).toEqual([[-5], [-6]]);
      await writeTo(
        store,
        batchOf({
          activities: [
            activityOf(ETH_B, 'b', { ...imported, timestamp: at(-7) }),
            activityOf(ETH_A, 'c', { ...imported, timestamp: at(-4) }),
          ],
        }),
      );
      expect(await days()).toEqual([[-5], [-7]]);
      const writer = store.openWriter();
      const { badge: _, ...none } = imported;
      await writer.stageCorrections([
        correctionOf('x', 'b', { wallet: ETH_B, ...none, timestamp: at(-7), badge: undefined }),
        correctionOf('y', 'a', { ...none, timestamp: at(-8), badge: 'seen' }),
      ]);
      await writer.commit();
      await writer.finish();
      expect(await days()).toEqual([[-8], [-6]]);
      await scored.apply(text(2, [workshop]));
      expect(await days()).toEqual([[-8], []]);
    });
  });
}
