import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '#base/time/time';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import { MATCHES_CHAIN } from '#scoring/score-versions/ends';
import type { Store } from '#storage/store';
import { CHAIN_RULES as RULES } from '../support/chain-rules.ts';
import { exportedFrom, verifiedBy } from '../support/evidence-file.ts';
import { batchOf, ETH_A, ETH_B, eventOf, SOL_A, writeTo } from '../support/ledger.ts';
import { ScoredStore, shownBy, TODAY } from '../support/scoring.ts';
import { at, change, DAY, ETH, FIRST, HOLD, position, SECOND, VOTE, vote } from './chain-events.ts';
import type { StoreUnderTest } from './contract.ts';

/** What rules make of the evidence of chains that a store keeps. */
export function chainScoringContract(name: string, under: StoreUnderTest): void {
  describe(`${name} scores evidence of chains`, () => {
    let store: Store;
    const START = position(99, at(0));

    beforeEach(async () => {
      store = await under.open();
      const inputs = [VOTE, HOLD].map((each) => ({ name: each, position: START }));
      await store.evidence.begin(ETH, inputs);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const append = (from: SourcePosition, to: SourcePosition, ...events: SourceEvent[]) =>
      store.evidence.append({ source: 'eth', inputs: [VOTE, HOLD], from, to, events });

    it('scores events, caps, ending discounts and badges as the source advances', async () => {
      const source = await store.openSource();
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      const shown = async () => {
        await scored.follow();
        const [told] = await shownBy(store, source, [ETH_A]);
        return {
          rows: told?.activity?.activities
            .map(({ type, points, description }) => `${type} ${points} ${description}`)
            .toReversed(),
          badges: told?.list?.map(({ id }) => id),
        };
      };
      const one = position(110, at(0, 10));
      await append(
        START,
        one,
        vote(ETH_A, 101, 0, FIRST),
        vote(ETH_A, 102, 0, SECOND),
        vote(ETH_A, 103, 0, { proposalId: '1', weight: '11' }),
        vote(ETH_A, 104, 0, { proposalId: '2', weight: '115792089237316195423570985008687907853' }),
        vote(ETH_A, 105, 0, { proposalId: '3', weight: '10' }),
      );
      const held = [
        'vote 25 Voted on 1 (young: 50 %)',
        'vote 25 Voted on 2 (young: 50 %)',
        'vote 10 Voted on 3 (cap reached: 20 of 50; young: 50 %)',
      ];
      expect(await shown()).toEqual({ rows: held, badges: [] });
      // The service's own day doesn't matter: the source isn't complete to the day's end.
      scored.today += 100;
      expect(await shown()).toEqual({ rows: held, badges: [] });
      const two = position(150, at(1));
      await append(one, two);
      const badge = 'badge_earned 0 Voter';
      expect(await shown()).toEqual({ rows: [...held, badge], badges: ['voter'] });
      await append(two, position(200, at(2, 1)));
      const restored = 'adjustment 60 No longer held back (young): vote';
      expect(await shown()).toEqual({ rows: [...held, badge, restored], badges: ['voter'] });
    });

    it('pays for days of holding only for sound balances, and not to exempt wallets', async () => {
      const source = await store.openSource();
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      const scores = async () => {
        await scored.follow();
        const told = await shownBy(store, source, [ETH_A, ETH_B, SOL_A]);
        return told.map((each) => ('score' in each ? each.score : undefined));
      };
      const big = '340282366920938463463374607431768211455';
      const one = position(300, at(2, 6));
      await append(
        START,
        one,
        change(ETH_A, 200, at(0, 5), big),
        change(ETH_B, 201, at(0, 5), '100'),
        // Below the threshold for a moment on the third day.
        change(ETH_A, 299, at(2, 5), `-${BigInt(big) - 99n}`),
        change(ETH_A, 300, at(2, 6), '1'),
      );
      expect(await scores()).toEqual([undefined, undefined, undefined]);
      await store.evidence.setVerdict('eth', HOLD, 'its sums are not its balances');
      expect(await scores()).toEqual([undefined, undefined, undefined]);
      expect(await store.evidence.forgetRefusals('eth')).toEqual([HOLD]);
      expect(await store.evidence.inputs()).toContainEqual(
        expect.objectContaining({ name: HOLD, verdict: undefined }),
      );
      expect(await scores()).toEqual([undefined, undefined, undefined]);
      await store.evidence.setVerdict('eth', HOLD, MATCHES_CHAIN);
      expect(await store.evidence.forgetRefusals('eth')).toEqual([]);
      // Only the second day was full.
      expect(await scores()).toEqual([3, undefined, undefined]);
      const two = position(400, at(5));
      await append(one, two);
      // The fourth and the fifth, too.
      expect(await scores()).toEqual([9, undefined, undefined]);
      expect(await store.evidence.balances('eth', HOLD, 0, 1_000)).toEqual([
        {
          wallet: ETH_A,
          changes: [
            { time: at(0, 5), amount: BigInt(big) },
            { time: at(2, 5), amount: 99n - BigInt(big) },
            { time: at(2, 6), amount: 1n },
          ],
        },
        { wallet: ETH_B, changes: [{ time: at(0, 5), amount: 100n }] },
      ]);
    });

    it('verifies anywhere, at the blocks that the scores are based on', async () => {
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      const held = change(ETH_A, 200, at(0, 5), '100');
      await append(START, position(300, at(3)), held, vote(SOL_A, 101, 0, FIRST));
      await store.evidence.setVerdict('eth', HOLD, MATCHES_CHAIN);
      // It waits in vain for evidence to be scored.
      await expect(exportedFrom(store)).rejects.toThrow("haven't scored the evidence of 2 wallets");
      await scored.follow();
      const text = await exportedFrom(store);
      expect(text).toContain(
        `"ends":[{"source":"eth","height":300,"hash":"0x300","time":${at(3)}}]`,
      );
      const { end } = await verifiedBy(text);
      expect(end).toMatchObject({ events: 2, wallets: 2 });
      const again = position(301, at(3, 1));
      await append(position(300, at(3)), again, vote(SOL_A, 301, 0, SECOND));
      await scored.follow();
      expect((await verifiedBy(await exportedFrom(store))).end).toMatchObject({ events: 3 });
      // A checkpoint vouches for the end, too.
      await expect(verifiedBy(text.replace(`"time":${at(3)}`, `"time":${at(1)}`))).rejects.toThrow(
        'their checkpoint doesn’t match',
      );
    });

    it('a verdict that comes while evidence is being scored counts', async () => {
      const { scoring, evidence } = store;
      let isDue = false;
      const arrivals: typeof scoring.arrivals = async (after, limit) => {
        const before = await scoring.arrivals(after, limit);
        if (isDue) await evidence.setVerdict('eth', HOLD, MATCHES_CHAIN);
        isDue = false;
        return before;
      };
      const source = await store.openSource();
      const scored = new ScoredStore({ ...store, scoring: { ...scoring, arrivals } }, TODAY);
      await scored.apply(RULES);
      await append(START, position(300, at(3)), change(ETH_A, 200, at(0, 5), '100'));
      isDue = true;
      await scored.follow();
      await scored.follow();
      const [told] = await shownBy(store, source, [ETH_A]);
      expect(told).toMatchObject({ score: 6 });
    });

    it("imports continue by the service's own days meanwhile", async () => {
      const source = await store.openSource();
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      await writeTo(store, batchOf({ events: [eventOf(SOL_A, 'w', { timestamp: at(0) })] }));
      await scored.follow();
      const [told] = await shownBy(store, source, [SOL_A]);
      expect(told).toMatchObject({ score: 5 });
      const live = await store.scoring.live();
      expect(live?.asOf).toBe(TODAY);
      expect(JSON.parse(live?.ends ?? '')).toEqual([['eth', 99, '0x99', at(0)]]);
      expect(dayOf(at(0))).toBe(DAY);
    });
  });
}
