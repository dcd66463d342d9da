import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { DAY_SECONDS } from '#base/time/time';
import { rehearse } from '#gating/rehearsal';
import type { ImportedEvent } from '#reputation/activity';
import type { ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import type { Move } from '#scoring/rehearsal/rehearsal';
import type { Store } from '#storage/store';
import {
  activityOf,
  badgeNamed,
  batchOf,
  ETH_A,
  ETH_B,
  eventOf,
  SOL_A,
  writeTo,
} from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import { rulesText, ScoredStore, shownBy, TODAY, toldOf, workshop } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const WALLETS = [ETH_A, ETH_B, SOL_A];
const at = (day: number, seconds = 0) => (TODAY + day) * DAY_SECONDS + seconds;

/** What rules grant, in every store. */
export function scoringContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of scoring`, () => {
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

    const scores = async () => (await shown()).map((each) => 'score' in each && each.score);

    it("rules give points beside what was imported, and nothing before they're live", async () => {
      await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a', { points: 7 })] }));
      await scored.add(eventOf(ETH_A, 'w1'), eventOf(SOL_A, 'w1'), eventOf(SOL_A, 'w2'));
      const scoreVersion = await scored.build(rulesText([workshop]));
      expect(await scores()).toEqual([7, false, false]);
      await scored.store.scoring.switchTo(scoreVersion.number, undefined, []);
      const [a, b, sol] = await shown();
      expect(a).toMatchObject({ score: 32, rank: 2, totalUsers: 2, activity: { total: 2 } });
      expect(b).not.toHaveProperty('score');
      expect(sol).toMatchObject({ score: 50, rank: 1, activity: { total: 2 } });
      expect(a?.activity?.activities.map(({ type, points }) => [type, points])).toContainEqual([
        'event_attended',
        25,
      ]);
    });

    it('follows evidence as it arrives, for every process with the store open', async () => {
      await scored.add(eventOf(ETH_A, 'w1'));
      await scored.apply(rulesText([workshop]));
      expect(await scores()).toEqual([25, false, false]);
      await scored.add(eventOf(ETH_A, 'w2'), eventOf(ETH_B, 'w1'));
      expect(await scores()).toEqual([25, false, false]);
      const before = source.reading().revision;
      await scored.follow();
      expect(await scores()).toEqual([50, 25, false]);
      expect(source.reading().revision).not.toBe(before);
      // A known event changes nothing, nor any ETag.
      const revision = source.reading().revision;
      await scored.follow();
      await refreshed(store);
      expect(source.reading().revision).toBe(revision);
    });

    it("inserts a late event at its place, and never shows a list that doesn't add up", async () => {
      const capped = workshop.replace('25}', '25, cap: 50 per 30d}');
      await scored.add(
        eventOf(ETH_A, 'w2', { timestamp: at(-3) }),
        eventOf(ETH_A, 'w3', { timestamp: at(-2) }),
      );
      await scored.apply(rulesText([capped]));
      expect(await scores()).toEqual([50, false, false]);
      const reading = source.reading();
      const before = await reading.activity(ETH_A, 10);
      await scored.add(eventOf(ETH_A, 'w1', { timestamp: at(-4) }));
      await scored.follow();
      // A store that hasn't followed yet shows the old state: the replaced rows still exist for it.
      if (source.reading().revision === reading.revision) {
        expect(await source.reading().activity(ETH_A, 10)).toEqual(before);
      }
      const [told] = await shown();
      expect(told).toMatchObject({ score: 50, activity: { total: 3 } });
      // All of it page by page; the rows that were replaced are no places to go on after.
      const ids: string[] = [];
      for (let next: string | null | undefined; next !== null; ) {
        const page = await source.reading().activities(ETH_A, { after: next, limit: 1 });
        ids.push(...(page?.activities.map(({ id }) => id) ?? []));
        next = page?.next ?? null;
      }
      expect(ids).toEqual(told?.activity?.activities.map(({ id }) => id));
      const replaced = before?.activities.find(({ id }) => !ids.includes(id));
      const query = { after: replaced?.id ?? 'act_never', limit: 5 };
      await expect(async () => source.reading().activities(ETH_A, query)).rejects.toMatchObject({
        code: 'cursor-gone',
      });
      expect(
        told?.activity?.activities.map(({ points, description }) => [points, description]),
      ).toEqual([
        [0, 'event attended (cap reached: 0 of 25)'],
        [25, 'event attended'],
        [25, 'event attended'],
      ]);
    });

    it('processes days that have ended, even after a pause', async () => {
      const decaying = workshop.replace('25}', '100, half_life: 30d}');
      await scored.add(eventOf(ETH_A, 'w1', { timestamp: at(0, 5) }));
      await scored.apply(rulesText([decaying]));
      expect(await scores()).toEqual([100, false, false]);
      scored.today += 200;
      await scored.follow();
      const [late] = await scores();
      scored.today -= 200;
      // The same as with one step a day.
      await scored.apply(rulesText([decaying], { version: 2 }));
      for (let day = 0; day < 200; day += 40) {
        scored.today += 40;
        await scored.follow();
      }
      expect(await scores()).toEqual([late, false, false]);
      expect(late).toBeLessThan(10);
    });

    it('leaves events of later days for their days', async () => {
      await scored.add(eventOf(ETH_A, 'w1', { timestamp: at(1, 9) }));
      await scored.apply(rulesText([workshop]));
      expect(await scores()).toEqual([false, false, false]);
      scored.today += 1;
      await scored.follow();
      expect(await scores()).toEqual([25, false, false]);
    });

    it('awards and revokes badges, beside those from imports', async () => {
      await writeTo(
        store,
        batchOf({
          badges: [badgeNamed('regular')],
          activities: [
            activityOf(ETH_B, 'b', { type: 'badge_earned', badge: 'regular', points: 0 }),
          ],
        }),
      );
      const badge =
        '{id: regular, name: Regular, description: Twice in ten days, tier: Epic, imageUrl: "https://example.org/r.png", soulbound: true, need: {type: event_attended, count: 2, within: 10d}, keep: while}';
      await scored.add(
        ...[ETH_A, ETH_B].flatMap((wallet) => [
          eventOf(wallet, 'w1', { timestamp: at(-2) }),
          eventOf(wallet, 'w2', { timestamp: at(-1) }),
        ]),
      );
      await scored.apply(rulesText([workshop], { more: `badges:\n  - ${badge}\n` }));
      const held = async () => (await shown()).map(({ list }) => list?.map((each) => each.name));
      expect(await held()).toEqual([['Regular'], ['Regular'], undefined]);
      scored.today += 30;
      await scored.follow();
      // What was imported stays.
      expect(await held()).toEqual([[], ['Regular'], undefined]);
      const [a] = await shown();
      expect(a?.activity?.activities[0]).toMatchObject({ type: 'badge_lost', points: 0 });
    });

    it('switches in one step, and continues with what is live', async () => {
      await scored.add(eventOf(ETH_A, 'w1'), eventOf(ETH_B, 'w1'));
      const first = await scored.apply(rulesText([workshop]));
      expect(await scores()).toEqual([25, 25, false]);
      const other = workshop.replace('25}', '40}').replace('event_attended', 'workshop');
      const second = await scored.build(rulesText([other], { version: 2 }));
      expect(await scores()).toEqual([25, 25, false]);
      const { scoring } = store;
      expect(await scoring.switchTo(second.number, undefined, [])).toBe(false);
      expect(await scoring.switchTo(second.number, first.number, [])).toBe(true);
      expect(await scores()).toEqual([40, 40, false]);
      expect(await scoring.live()).toMatchObject({ number: second.number, replaces: first.number });
      expect((await scoring.scoreVersions()).map(({ state }) => state)).toEqual(['past', 'live']);
      // The past isn't rewritten.
      const { arrived, asOf, ends } = first;
      const move = { from: { arrived, asOf, ends }, to: { arrived, asOf: asOf + 1, ends } };
      expect(await scoring.write(first.number, [], move)).toBe(false);
    });

    it('deletes what nobody sees, and never reuses change numbers', async () => {
      const rowsOf = async (version: number) => {
        await scored.apply(rulesText([workshop.replace('25}', `${version}}`)], { version }));
        while (await store.scoring.removeLeftovers()) {
          // Part by part.
        }
      };
      await scored.add(eventOf(ETH_A, 'w1'));
      await rowsOf(1);
      await scored.add(eventOf(ETH_A, 'w2'));
      await scored.follow();
      expect(await scores()).toEqual([2, false, false]);
      for (const version of [2, 3, 4]) await rowsOf(version);
      // A build that was aborted leaves nothing, either.
      await scored.build(rulesText([workshop], { version: 5 }));
      await rowsOf(6);
      expect(await scores()).toEqual([12, false, false]);
      // A follower continues with what comes now, although all earlier changes are gone.
      await scored.add(eventOf(ETH_A, 'w3'));
      await scored.follow();
      expect(await scores()).toEqual([18, false, false]);
    });

    it('includes what arrives while a score version is built', async () => {
      await scored.add(eventOf(ETH_A, 'w1'));
      const [evaluation, rules] = scored.rulesOf(rulesText([workshop]));
      const scoreVersion = await scored.evaluator().build(evaluation, rules, () => undefined);
      await scored.add(eventOf(ETH_A, 'w2'), eventOf(ETH_B, 'w1'));
      await store.scoring.switchTo(scoreVersion.number, undefined, []);
      const live = await store.scoring.live();
      if (live !== undefined) await scored.evaluator().follow(live, evaluation);
      expect(await scores()).toEqual([50, 25, false]);
    });

    it('shows all or nothing of a score version whose build ends at any moment', async () => {
      await scored.add(eventOf(ETH_A, 'w1'), eventOf(ETH_B, 'w1'));
      await scored.apply(rulesText([workshop]));
      const before = await shown();
      const other = rulesText([workshop.replace('25}', '40}')], { version: 2 });
      let isWhole = false;
      for (let steps = 0; !isWhole; steps += 1) {
        let left = steps;
        const dying = scored.evaluator(async () => {
          // As if the process were killed: nothing is cleaned up.
          if (left-- === 0) throw new RetryableError('killed');
        });
        const built = await dying.build(...scored.rulesOf(other)).catch(() => undefined);
        isWhole = built !== undefined;
        expect(await shown()).toEqual(before);
        expect(steps).toBeLessThan(20);
      }
      await scored.apply(other);
      expect(await scores()).toEqual([40, 40, false]);
      expect((await store.scoring.scoreVersions()).map(({ version }) => version)).toEqual([1, 2]);
    });

    it('rehearses what applying then does', async () => {
      await writeTo(
        store,
        batchOf({
          badges: [badgeNamed('seen')],
          activities: [
            activityOf(ETH_B, 'a', { points: 900 }),
            activityOf(SOL_A, 'b', { type: 'badge_earned', badge: 'seen', points: 10 }),
          ],
        }),
      );
      await scored.add(...WALLETS.flatMap((each) => [eventOf(each, 'w1'), eventOf(each, 'w2')]));
      await scored.apply(rulesText([workshop.replace('25}', '300}')]));
      const before = await scores();
      const badge =
        '{id: seen, name: Seen, description: x, tier: Rare, imageUrl: "https://example.org/s.png", soulbound: true}';
      const other = workshop.replace(
        /give:.*/,
        'give: {type: x, points: 5, cap: 8 ever, badge: seen}}',
      );
      const next = rulesText([other, workshop.replace('id: workshop', 'id: more')], {
        version: 2,
        more: `badges:\n  - ${badge}\n`,
      });
      const [evaluation, kept] = scored.rulesOf(next);
      const moves: Move[] = [];
      const result = await rehearse(
        { evaluation, kept },
        {
          store: store.scoring,
          gating: store.gating,
          thresholds: DEFAULT_THRESHOLDS,
          signal: new AbortController().signal,
          onMove: (move) => void moves.push(move),
        },
      );
      expect(await scores()).toEqual(before);
      await scored.apply(next);
      const after = await scores();
      expect(
        WALLETS.map(({ address }) => moves.find(({ wallet }) => wallet.address === address)),
      ).toMatchObject([
        { before: before[0], after: after[0], gained: ['seen'], reason: 'workshop -592; more +50' },
        { before: before[1], after: after[1], gained: ['seen'] },
        // What was imported was there before.
        { before: before[2], after: after[2], gained: [] },
      ]);
      expect(result).toMatchObject({ wallets: 3, changed: 3, badges: [{ id: 'seen', gained: 2 }] });
      expect(result.tiers.map(({ tier, fell }) => [tier, fell])).toContainEqual(['Dolphin', 2]);
      expect(result.imported).toEqual(await store.scoring.importedNames());
    });

    it("lets only one writer continue from a score version's position", async () => {
      const { number, arrived, asOf, ends } = await scored.apply(rulesText([workshop]));
      const move = { from: { arrived, asOf, ends }, to: { arrived, asOf: asOf + 1, ends } };
      expect(await store.scoring.write(number, [], move)).toBe(true);
      expect(await store.scoring.write(number, [], move)).toBe(false);
    });

    it('a wallet with very many imported activities and some by rules is listed in order', async () => {
      const activities = Array.from({ length: 520 }, (_, i) =>
        activityOf(ETH_A, `m${i.toString(32).padStart(3, '0')}`, { timestamp: at(-9, i) }),
      );
      await writeTo(store, batchOf({ activities }));
      await scored.add(
        eventOf(ETH_A, 'w1', { timestamp: at(-9, 500) }),
        eventOf(ETH_A, 'w2', { timestamp: at(-1) }),
      );
      await scored.apply(rulesText([workshop]));
      const [told] = await shown();
      const { activities: newest = [], total } = told?.activity ?? {};
      expect([total, newest.length]).toEqual([522, 200]);
      expect(newest.findIndex(({ type }) => type === 'event_attended')).toBe(0);
      const times = newest.map(({ timestamp }) => timestamp);
      expect(times).toEqual(times.toSorted().reverse());
      expect(newest.filter(({ type }) => type === 'event_attended')).toHaveLength(2);
    });

    const drafts = fc.array(
      fc.record({
        wallet: fc.constantFrom(...WALLETS),
        day: fc.integer({ min: -80, max: 3 }),
        amount: fc.nat(9),
        event: fc.constantFrom('workshop_attended', 'other'),
      }),
      { minLength: 1, maxLength: 14 },
    );
    const splits = fc.array(fc.nat(13), { maxLength: 4 });

    it('is the same for any split of the arrivals as from scratch', async () => {
      const text = rulesText(
        [
          '{id: a, on: {import: workshop_attended}, where: {amount: {gt: 1}}, once: amount, give: {type: one, points: 25, cap: 60 per 30d, half_life: 20d, badge: seen}}',
          '{id: b, on: {import: workshop_attended}, give: {type: two, points: {of: amount, per: 2, each: 7, most: 20}}}',
          '{id: c, on: {import: other}, give: {type: two, points: -3}}',
        ],
        {
          more: `badges:
  - {id: seen, name: Seen, description: x, tier: Rare, imageUrl: "https://example.org/s.png", soulbound: true}
  - {id: two, name: Two, description: x, tier: Rare, imageUrl: "https://example.org/t.png", soulbound: true, need: {type: two, count: 2, within: 9d}, keep: while}
  - {id: high, name: High, description: x, tier: Rare, imageUrl: "https://example.org/h.png", soulbound: true, need: {score: 30}}
discounts:
  - {id: young, first_seen_within: 15d, factor: 500}
`,
        },
      );
      let version = 0;
      await fc.assert(
        fc.asyncProperty(drafts, splits, fc.nat(40), async (all, places, pause) => {
          const events = all.map(
            ({ wallet, day, amount, event }, index): ImportedEvent =>
              eventOf(wallet, `${version}-${index}`, {
                event,
                timestamp: at(day, index),
                args: JSON.stringify({ amount: String(amount) }),
              }),
          );
          scored.today = Math.max(scored.today, TODAY);
          await scored.apply(text.replace('version: 1', `version: ${++version}`));
          const cuts = [0, ...places, events.length].sort((a, b) => a - b);
          for (const [index, from] of cuts.slice(0, -1).entries()) {
            await scored.add(...events.slice(from, cuts[index + 1]));
            if (index === 1) scored.today += pause;
            await scored.follow();
          }
          const followed = await shown();
          for (const each of followed) {
            const sum = each.activity?.activities.reduce((all, { points }) => all + points, 0) ?? 0;
            if ('score' in each) expect(each.score).toBe(Math.max(0, sum));
          }
          await scored.apply(text.replace('version: 1', `version: ${++version}`));
          expect(await shown()).toEqual(followed);
        }),
        { numRuns: 5 },
      );
    }, 240_000);
  });
}
