import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_SECONDS, dateOf } from '#base/time/time';
import type { ImportedEvent } from '#reputation/activity';
import type { ReputationSource } from '#reputation/reputation-source';
import { compareAddresses, ScoreDigest } from '#scoring/digest';
import type { Store } from '#storage/store';
import {
  ALL_WALLETS,
  activityOf,
  batchOf,
  ETH_A,
  ETH_B,
  eventOf,
  SOL_A,
  writeTo,
} from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import { validRules } from '../support/rules.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const WALLETS = [ETH_A, ETH_B, SOL_A];
const at = (day: number, seconds = 0) => (TODAY + day) * DAY_SECONDS + seconds;
const day = (offset: number) => dateOf(TODAY + offset);
const workshop =
  '{id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: 25}}';
const capped = workshop.replace('25}', '25, cap: 50 per 30d, half_life: 30d}');

/** Where scores come from, for every source that knows. */
export function explanationContract(name: string, under: StoreUnderTest): void {
  describe(`${name} explains scores`, () => {
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

    it('adds up, alike in every store, where rules give more than numbers can hold', async () => {
      const most = 2 ** 53 - 1;
      const rule = (id: string, points: number) =>
        `{id: ${id}, on: {import: ${id}}, give: {type: ${id}, points: ${points}}}`;
      await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a', { points: 7 })] }));
      for (const event of ['up', 'also_up', 'down']) {
        for (const key of ['1', '2', '3']) {
          await scored.add(
            eventOf(ETH_A, `${event}${key}`, { event, timestamp: at(-1) }),
            ...(event === 'down'
              ? [eventOf(ETH_B, `${event}${key}`, { event, timestamp: at(-1) })]
              : []),
          );
        }
      }
      const also = rule('also', most).replaceAll('also}', 'also_up}');
      await scored.apply(rulesText([rule('up', most), also, rule('down', -most)]));
      const now = await reading();
      const total = 10 ** 12 + 7;
      expect(await now.reputation(ETH_A)).toMatchObject({ score: total });
      expect(await now.reputation(ETH_B)).toMatchObject({ score: 0 });
      const found = await now.breakdown(ETH_A);
      expect(
        found?.rules.map(({ id, points, count, capped: held }) => [id, points, count, held]),
      ).toEqual(
        expect.arrayContaining([
          ['up', 10 ** 12, 3, most],
          ['also', 10 ** 12, 3, most],
          ['down', -(10 ** 12), 3, 0],
        ]),
      );
      expect(await now.breakdown(ETH_B)).toMatchObject({
        rules: [{ id: 'down', points: -(10 ** 12) }],
      });
      const days = (await now.history(ETH_A, {}))?.days;
      expect(days?.at(-1)).toMatchObject({ score: total });
      const list = await now.activity(ETH_A, 200);
      expect(list?.activities.reduce((sum, { points }) => sum + points, 0)).toBe(total);
      expect((await now.provenance()).digest).toBe(await expectedDigest());
    });

    /** The digest, computed from each wallet's public data. */
    async function expectedDigest(): Promise<string> {
      const digest = new ScoreDigest(createHash('sha256'));
      const all = ALL_WALLETS.toSorted((a, b) => compareAddresses(a.address, b.address));
      for (const wallet of all) {
        const record = await source.reading().reputation(wallet);
        if (record !== undefined) digest.add(record.address, record.score);
      }
      return digest.hex();
    }

    it('calls a rule by its title', async () => {
      await scored.add(eventOf(ETH_A, 'w1'));
      await scored.apply(rulesText([workshop.replace('{id', '{title: {es: Vino, en: Came}, id')]));
      const now = await reading();
      expect((await now.breakdown(ETH_A))?.rules).toMatchObject([
        { id: 'workshop', title: 'Came' },
      ]);
    });

    it('knows nothing of a wallet that was never seen', async () => {
      const now = await reading();
      expect(await now.breakdown(ETH_A)).toBeUndefined();
      expect(await now.history(ETH_A, {})).toBeUndefined();
    });

    it('without rules, all points are imported and no source is named', async () => {
      await writeTo(
        store,
        batchOf({
          activities: [
            activityOf(ETH_A, 'a', { points: 7, timestamp: at(-3) }),
            activityOf(ETH_A, 'b', { points: -20, timestamp: at(-2) }),
            activityOf(ETH_B, 'a', { points: 5 }),
          ],
        }),
      );
      await scored.add(eventOf(ETH_A, 'w1'));
      const now = await reading();
      expect(await now.breakdown(ETH_A)).toEqual({
        address: ETH_A.address,
        score: 0,
        rules: [],
        imported: { points: -13, count: 2 },
        asOf: null,
      });
      expect(await now.history(ETH_A, {})).toEqual({
        address: ETH_A.address,
        days: [
          { day: day(-3), score: 7 },
          { day: day(-2), score: 0 },
        ],
      });
      const digest = await expectedDigest();
      expect(await now.provenance()).toEqual({ rules: null, sources: [], asOf: null, digest });
    });

    it('separates points by rule, withheld points, and imported points', async () => {
      await writeTo(
        store,
        batchOf({ activities: [activityOf(ETH_A, 'a', { points: 7, timestamp: at(-9) })] }),
      );
      const old = (key: string, offset: number) => eventOf(ETH_A, key, { timestamp: at(offset) });
      await scored.add(
        old('w1', -4),
        old('w2', -3),
        old('w3', -2),
        eventOf(SOL_A, 'v', { event: 'other' }),
      );
      const young = 'discounts:\n  - {id: young, first_seen_within: 30d, factor: 500}\n';
      const { appliedAt } = await scored.apply(
        rulesText(
          [workshop.replace('id: workshop', 'id: never').replace('attended}', 'x}'), capped],
          { more: young },
        ),
      );
      const now = await reading();
      const breakdown = await now.breakdown(ETH_A);
      // What members read isn't part of what another instance tells.
      const rules = breakdown?.rules.map(({ called: _, words: __, counts: ___, ...told }) => told);
      expect({ ...breakdown, rules }).toEqual({
        address: ETH_A.address,
        score: 31,
        rules: [
          {
            id: 'workshop',
            version: 1,
            title:
              '25 points for each imported event workshop_attended; at most 50 points in 30 days; halves every 30 days',
            points: 24,
            count: 3,
            capped: 25,
            decayed: 0,
            discounted: 26,
            newest: `${day(-2)}T00:00:00Z`,
          },
        ],
        imported: { points: 7, count: 1 },
        asOf: `${day(0)}T00:00:00Z`,
      });
      expect((await now.history(ETH_A, {}))?.days).toEqual([
        { day: day(-9), score: 7 },
        { day: day(-4), score: 19 },
        { day: day(-3), score: 31 },
      ]);
      expect(await now.provenance()).toEqual({
        rules: {
          name: 'test',
          version: 1,
          hash: (await store.scoring.live())?.hash,
          appliedAt: new Date((appliedAt ?? 0) * 1000).toISOString().replace('.000', ''),
        },
        sources: [{ id: 'import', chain: null, height: 4, hash: null, at: `${day(-2)}T00:00:00Z` }],
        asOf: `${day(0)}T00:00:00Z`,
        digest: await expectedDigest(),
      });
    });

    it('is based on what is in the scores, not on what was read', async () => {
      await scored.add(eventOf(ETH_A, 'w1', { timestamp: at(-5) }));
      await scored.apply(rulesText([workshop]));
      const heights = async () => {
        const { sources, digest } = await (await reading()).provenance();
        expect(digest).toBe(await expectedDigest());
        return sources.map(({ height, at: time }) => [height, time]);
      };
      expect(await heights()).toEqual([[1, `${day(-5)}T00:00:00Z`]]);
      await scored.add(eventOf(ETH_B, 'w1', { timestamp: at(-4) }));
      expect(await heights()).toEqual([[1, `${day(-5)}T00:00:00Z`]]);
      await scored.follow();
      expect(await heights()).toEqual([[2, `${day(-4)}T00:00:00Z`]]);
    });

    it('has a different revision for a different state, and the same for the same', async () => {
      await scored.add(eventOf(ETH_A, 'w1', { timestamp: at(-5) }));
      await scored.apply(rulesText([workshop]));
      const revisionOf = async (what: 'breakdown' | 'provenance') => {
        const now = await reading();
        await now[what](ETH_A);
        return now.revision;
      };
      for (const what of ['breakdown', 'provenance'] as const) {
        const before = await revisionOf(what);
        expect(await revisionOf(what)).toBe(before);
        // A day that changes no score still changes the date of the scores.
        scored.today += 1;
        await scored.follow();
        expect(await revisionOf(what)).not.toBe(before);
      }
    });

    it('explains what is shown while the database is ahead', async () => {
      await scored.add(eventOf(ETH_A, 'w1', { timestamp: at(-5) }));
      await scored.apply(rulesText([workshop]));
      await reading();
      await scored.add(eventOf(ETH_A, 'w2', { timestamp: at(-4) }));
      await scored.follow();
      await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a', { points: 3 })] }));
      // Nothing was refreshed since: either answer is right, as long as it adds up.
      const now = source.reading();
      const breakdown = await now.breakdown(ETH_A);
      const sum = breakdown?.rules.reduce((all, { points }) => all + points, 0) ?? 0;
      expect(sum + (breakdown?.imported.points ?? 0)).toBe(breakdown?.score);
      expect([25, 28, 50, 53]).toContain(breakdown?.score);
    });

    it('describes the live rules even if the shown ones are gone meanwhile', async () => {
      await scored.add(eventOf(ETH_A, 'w1', { timestamp: at(-5) }));
      await scored.apply(rulesText([workshop]));
      await reading();
      for (const version of [2, 3]) {
        const other = workshop.replace('25}', `${version}}`);
        await scored.apply(rulesText([other], { version }));
        while (await store.scoring.removeLeftovers()) {
          // Part by part.
        }
      }
      // Nothing was refreshed since.
      const history = await source.reading().history(ETH_A, {});
      expect(history?.days).toEqual([{ day: day(-5), score: 3 }]);
    });

    const drafts = fc.array(
      fc.record({
        wallet: fc.constantFrom(...WALLETS),
        day: fc.integer({ min: -80, max: 0 }),
        amount: fc.nat(9),
        kind: fc.constantFrom('workshop_attended', 'other', 'imported'),
      }),
      { minLength: 1, maxLength: 16 },
    );

    it('adds up, and ends at the score, for any events and rules', async () => {
      const text = rulesText(
        [
          '{id: a, on: {import: workshop_attended}, where: {amount: {gt: 1}}, once: amount, give: {type: one, points: 25, cap: 60 per 30d, half_life: 20d}}',
          '{id: b, on: {import: workshop_attended}, give: {type: two, points: {of: amount, per: 2, each: 7, most: 20}}}',
          '{id: c, on: {import: other}, give: {type: two, points: -30}}',
        ],
        { more: 'discounts:\n  - {id: young, first_seen_within: 15d, factor: 500}\n' },
      );
      let version = 0;
      await fc.assert(
        fc.asyncProperty(drafts, fc.nat(40), async (all, pause) => {
          version += 1;
          const made = all.map((each, index) => ({ ...each, key: `r${version}x${index}` }));
          await writeTo(
            store,
            batchOf({
              activities: made
                .filter(({ kind }) => kind === 'imported')
                .map(({ wallet, key, amount, day: offset }) =>
                  activityOf(wallet, key, { points: 20 - 9 * amount, timestamp: at(offset) }),
                ),
            }),
          );
          scored.today = TODAY;
          await scored.apply(text.replace('version: 1', `version: ${version}`));
          const events = made
            .filter(({ kind }) => kind !== 'imported')
            .map(({ wallet, key, amount, kind, day: offset }): ImportedEvent => {
              const args = JSON.stringify({ amount: String(amount) });
              return eventOf(wallet, key, { event: kind, timestamp: at(offset), args });
            });
          if (events.length > 0) await scored.add(...events);
          await scored.follow();
          scored.today += pause;
          await scored.follow();
          const now = await reading();
          for (const wallet of WALLETS) {
            const record = await now.reputation(wallet);
            const breakdown = await now.breakdown(wallet);
            const days = (await now.history(wallet, {}))?.days;
            const activity = await now.activity(wallet, 200);
            expect(breakdown?.score).toBe(record?.score);
            expect(days?.at(-1)?.score).toBe(record?.score);
            if (breakdown === undefined) continue;
            const { rules, imported } = breakdown;
            const sum = rules.reduce((total, { points }) => total + points, imported.points);
            expect(Math.max(0, sum)).toBe(record?.score);
            const listed = activity?.activities.reduce((total, { points }) => total + points, 0);
            if ((activity?.total ?? 0) <= 200) expect(sum).toBe(listed);
            for (const { capped: held, decayed, discounted } of rules) {
              expect(Math.min(held, decayed, discounted)).toBeGreaterThanOrEqual(0);
            }
          }
          expect((await now.provenance()).digest).toBe(await expectedDigest());
        }),
        { numRuns: 6 },
      );
    }, 240_000);
  });
}
