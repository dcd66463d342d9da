import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RetractionKind, retractionEvidence } from '#import/retraction';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import { ETH_A, ETH_B, eventOf } from '../support/ledger.ts';
import { rulesText, ScoredStore, shownBy, TODAY, toldOf, workshop } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const WALLETS = [ETH_A, ETH_B];
const EVENT = eventOf(ETH_A, 'w1');

/** A decision about the event, as an import stages it. */
const decided = (kind: RetractionKind, timestamp: number) =>
  retractionEvidence({ ...EVENT, kind, timestamp, reason: 'No show' }, (text) =>
    hash('sha256', text),
  );

/** What taking an event back does to scores that are live, in every store. */
export function retractionContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of retractions`, () => {
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
      return told.map((each) => ({
        score: 'score' in each ? each.score : undefined,
        rows: each.activity?.activities.map(({ points, description }) => [points, description]),
      }));
    }

    it('an event gives nothing once it is retracted, and again what it gave once that is undone, with the rules live', async () => {
      await scored.add(EVENT, eventOf(ETH_A, 'w2', { timestamp: EVENT.timestamp + 1 }));
      await scored.add(eventOf(ETH_B, 'w1'));
      await scored.apply(rulesText([workshop]));
      const before = await shown();
      expect(before.map(({ score }) => score)).toEqual([50, 25]);

      await scored.add(decided('retraction', EVENT.timestamp + 10));
      await scored.follow();
      const [retracted, other] = await shown();
      expect(retracted?.score).toBe(25);
      expect(retracted?.rows).toContainEqual([0, expect.stringContaining('retracted: No show')]);
      expect(other).toEqual(before[1]);
      // The same again is known, and changes nothing.
      await scored.add(decided('retraction', EVENT.timestamp + 10));
      await scored.follow();
      expect((await shown())[0]).toEqual(retracted);

      await scored.add(decided('restoration', EVENT.timestamp + 20));
      await scored.follow();
      expect(await shown()).toEqual(before);
      // What was decided earlier doesn't count any more, even if it arrives later.
      await scored.add(decided('retraction', EVENT.timestamp + 15));
      await scored.follow();
      expect(await shown()).toEqual(before);
    });

    it('a score version that is built later, and one that is rebuilt, count retractions alike', async () => {
      await scored.add(EVENT, decided('retraction', EVENT.timestamp + 10), eventOf(ETH_B, 'w1'));
      await scored.apply(rulesText([workshop]));
      const live = await shown();
      expect(live.map(({ score }) => score)).toEqual([0, 25]);
      await scored.apply(rulesText([workshop], { version: 2 }));
      expect(await shown()).toEqual(live);
    });
  });
}
