import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '#base/time/time';
import type { LedgerWriter } from '#import/ledger-writer';
import { ACTIVITIES_MAX } from '#import/limits';
import type { LedgerActivity, LedgerCorrection } from '#reputation/activity';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import {
  activityOf,
  badgeNamed,
  batchOf,
  correctionOf,
  ETH_A,
  ETH_B,
  SOL_A,
  writeTo,
} from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import type { StoreUnderTest } from './contract.ts';

/** Conflicting events and their corrections, in every store. */
export function correctionsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of corrections`, () => {
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

    const write = (change: Parameters<typeof batchOf>[0]) => writeTo(store, batchOf(change));

    async function correct(...corrections: LedgerCorrection[]) {
      const writer = store.openWriter();
      await writer.stageCorrections(corrections);
      const commit = await writer.commit();
      await writer.finish();
      await refreshed(store);
      return commit;
    }

    async function toldBy(from: ReputationSource, wallet: Wallet) {
      const reading = from.reading();
      const reputation = await reading.reputation(wallet);
      const badges = await reading.badges(wallet);
      const activity = await reading.activity(wallet, 50);
      return { ...reputation, list: badges?.badges, activity, stats: await reading.stats() };
    }

    /** What is shown of the wallet, by a store that followed along and by one just loaded. */
    async function shown(wallet = ETH_A) {
      const told = await toldBy(source, wallet);
      const other = await under.again?.();
      if (other !== undefined) {
        expect(await toldBy(await other.openSource(), wallet)).toEqual(told);
        await other.close();
      }
      return told;
    }

    it('differing content is refused by its position, with the difference; the rest is added', async () => {
      await write({
        badges: [badgeNamed('voter'), badgeNamed('diver')],
        activities: [
          activityOf(ETH_A, 'a', { points: 100 }),
          activityOf(ETH_A, 'b', { badge: 'voter' }),
        ],
      });
      const result = await write({
        activities: [
          activityOf(SOL_A, 'new'),
          activityOf(ETH_A, 'a', { points: -100 }),
          activityOf(ETH_A, 'b', { badge: 'voter' }),
          activityOf(ETH_A, 'b', { badge: 'diver', timestamp: 1_700_000_060 }),
          activityOf(ETH_A, 'a', { points: 100, description: "it's \\ other" }),
          activityOf(ETH_A, 'b'),
        ],
      });
      const { refused = [], ...counts } = result;
      expect(counts).toEqual({ added: 1, known: 1 });
      const reasons = refused.toSorted((x, y) => x.place - y.place);
      expect(reasons.map(({ place, code }) => [place, code])).toEqual(
        [1, 3, 4, 5].map((place) => [place, 'differs']),
      );
      expect(reasons[0]?.reason).toContain('act_a000000000000000');
      expect(reasons[0]?.reason).toContain('points is 100 there and -100 here.');
      expect(reasons[1]?.reason).toContain(
        'timestamp is 2023-11-14T22:13:20Z there and 2023-11-14T22:14:20Z here; badge is voter there and diver here.',
      );
      expect(reasons[2]?.reason).toContain(
        'description is "did a" there and "it\'s \\ other" here.',
      );
      expect(reasons[3]?.reason).toContain('badge is voter there and none here.');
      await refreshed(store);
      expect(await shown()).toMatchObject({ score: 110, badges: ['Badge voter'] });
    });

    it('texts of any form are compared as they are', async () => {
      const texts = ['a\\nb', 'a\nb', '', "'", '🐳 \t{}"', '\\N', '\n'];
      const all = (change = '') =>
        texts.map((description, i) =>
          activityOf(ETH_A, `a${i}`, { description: description + change }),
        );
      await write({ activities: all() });
      expect(await write({ activities: all() })).toEqual({ added: 0, known: texts.length });
      const { refused } = await write({ activities: [...all(), ...all('.')] });
      expect(refused?.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual(
        texts.map((_, i) => texts.length + i),
      );
    });

    it('of two that differ in one batch, the first is added and the second refused', async () => {
      const result = await write({
        activities: [
          activityOf(ETH_A, 'a', { points: 1 }),
          activityOf(ETH_A, 'a', { points: 1 }),
          activityOf(ETH_A, 'a', { points: 2 }),
        ],
      });
      expect(result).toMatchObject({
        ...{ added: 1, known: 1 },
        refused: [{ place: 2, code: 'differs' }],
      });
      await refreshed(store);
      expect(await shown()).toMatchObject({ score: 1 });
    });

    it.runIf(under.run)('a wallet takes so many activities and corrections at most', async () => {
      const writer = store.openWriter();
      await writer.stage(batchOf({ activities: [activityOf(ETH_A, 'a'), activityOf(ETH_B, 'b')] }));
      await writer.commit();
      await writer.finish();
      await under.run?.(
        `UPDATE wallet SET activities = ${ACTIVITIES_MAX - 2} WHERE address = '${ETH_A.address}'`,
      );
      const commit = async (activities: LedgerActivity[], corrections: LedgerCorrection[] = []) => {
        await writer.stage(batchOf({ activities }));
        await writer.stageCorrections(corrections);
        const { refused = [], ...counts } = await writer.commit();
        const places = refused.map(({ place, code }) => [place, code] as const);
        return { ...counts, refused: places.toSorted(([one], [other]) => one - other) };
      };
      // After a batch without known activities, Postgres skips the check for them.
      await commit([activityOf(SOL_A, 'c')]);
      const [d, e] = [activityOf(ETH_A, 'd'), activityOf(ETH_A, 'e')];
      const tooMany = [activityOf(ETH_B, 'g'), d, activityOf(ETH_A, 'a'), e];
      const isFull = 'too-many-activities';
      expect(await commit(tooMany, [correctionOf('f', 'a', { points: 7 })])).toEqual({
        ...{ added: 1, known: 1 },
        refused: [1, 3, 4].map((place) => [place, isFull]),
      });
      expect(await commit([d, e])).toEqual({ added: 2, known: 0, refused: [] });
      expect(await commit([e, activityOf(ETH_A, 'h'), activityOf(ETH_B, 'i')])).toEqual({
        ...{ added: 1, known: 1 },
        refused: [[1, isFull]],
      });
      expect(await commit([], [correctionOf('f', 'a', { points: 7 })])).toEqual({
        ...{ added: 0, known: 0 },
        refused: [[0, isFull]],
      });
      await writer.finish();
      await refreshed(store);
      const reading = source.reading();
      expect((await reading.reputation(ETH_A))?.score).toBe(30);
      expect((await reading.reputation(ETH_B))?.score).toBe(30);
    });

    it('refusals can be found without writing anything', async () => {
      await write({ activities: [activityOf(ETH_A, 'a', { points: 100 })] });
      const writer = store.openWriter();
      const told = await writer.compare(
        [
          activityOf(ETH_A, 'a', { points: 100 }),
          activityOf(ETH_A, 'a'),
          activityOf(SOL_A, 'b', { badge: 'nobody-knows' }),
        ],
        [correctionOf('x', 'a', { points: 5 }), correctionOf('y', 'nothing')],
      );
      expect(told.map(({ place, code }) => [place, code])).toEqual([
        [1, 'differs'],
        [4, 'unknown-activity'],
      ]);
      expect(await writer.commit()).toEqual({ added: 0, known: 0 });
      await refreshed(store);
      expect(await shown()).toMatchObject({ score: 100, stats: { totalUsers: 1 } });
      expect(await shown(SOL_A)).toEqual({
        ...{ list: undefined, activity: undefined, stats: expect.anything() },
      });
    });

    it('a correction is a row of its own, shown by score, rank and list', async () => {
      await write({
        activities: [
          activityOf(ETH_A, 'a', { points: 100 }),
          activityOf(ETH_A, 'b', { points: 50 }),
          activityOf(SOL_A, 'c', { points: 120 }),
        ],
      });
      await refreshed(store);
      expect(await shown()).toMatchObject({ score: 150, rank: 1 });
      const correction = correctionOf('x', 'a', { points: 20, reason: 'Counted twice.' });
      expect(await correct(correction)).toEqual({ added: 1, known: 0 });
      const after = await shown();
      expect(after).toMatchObject({ score: 70, rank: 2, stats: { averageScore: 95 } });
      expect(after.activity?.total).toBe(3);
      expect(after.activity?.activities).toContainEqual({
        id: 'act_x000000000000000',
        type: 'adjustment',
        description: 'Correction of act_a000000000000000: points 100 → 20. Counted twice.',
        points: -80,
        timestamp: formatTime(1_700_000_000),
      });
      // The original remains visible.
      expect(after.activity?.activities).toContainEqual(
        expect.objectContaining({ id: 'act_a000000000000000', points: 100 }),
      );
    });

    it('repeating a correction changes nothing, nor does the line it agrees with or corrects', async () => {
      const before = activityOf(ETH_A, 'a', { points: 100 });
      await write({ activities: [before] });
      const correction = correctionOf('x', 'a', { points: 20 });
      expect(await correct(correction, correction)).toEqual({ added: 1, known: 1 });
      expect(await correct(correction)).toEqual({ added: 0, known: 1 });
      const activities = [before, activityOf(ETH_A, 'a', { points: 20 })];
      expect(await write({ activities })).toEqual({ added: 0, known: 2 });
      const { refused } = await write({ activities: [activityOf(ETH_A, 'a', { points: 3 })] });
      expect(refused?.[0]?.reason).toContain('points is 20 there and 3 here.');
      await refreshed(store);
      expect(await shown()).toMatchObject({ score: 20, activity: { total: 2 } });
    });

    it('of several corrections the last one counts, in one batch or several', async () => {
      await write({ activities: [activityOf(ETH_A, 'a', { points: 100 })] });
      const points = (id: string, value: number) => correctionOf(id, 'a', { points: value });
      await correct(points('x', 20), points('y', 30));
      expect(await shown()).toMatchObject({ score: 30 });
      await correct(points('z', 100));
      expect(await shown()).toMatchObject({ score: 100, activity: { total: 4 } });
    });

    it('repeated corrections change nothing, even one that agreed at first', async () => {
      await write({ activities: [activityOf(ETH_A, 'a', { points: 50 })] });
      const points = (id: string, value: number) => correctionOf(id, 'a', { points: value });
      const confirming = points('v', 50);
      expect(await correct(confirming)).toEqual({ added: 1, known: 0 });
      const file = [points('w', 1), points('x', 1), points('y', 9)];
      expect(await correct(...file)).toEqual({ added: 3, known: 0 });
      const told = await shown();
      expect(told).toMatchObject({ score: 9, activity: { total: 5 } });
      expect(told.activity?.activities).toContainEqual(
        expect.objectContaining({
          description: 'Correction of act_a000000000000000: no change',
          points: 0,
        }),
      );
      for (const again of [[confirming], file, file.toReversed(), [...file, confirming]]) {
        expect(await correct(...again)).toEqual({ added: 0, known: again.length });
        expect(await shown()).toEqual(told);
      }
    });

    it("a duplicate correction counts from its first position, however it's split", async () => {
      const all = (wallet: Wallet) => {
        const points = (id: string, value: number) =>
          correctionOf(id, 'a', { wallet, points: value });
        return [points('x', 20), points('y', 30), points('x', 20)];
      };
      await write({ activities: [activityOf(ETH_A, 'a'), activityOf(SOL_A, 'a')] });
      expect(await correct(...all(ETH_A))).toEqual({ added: 2, known: 1 });
      for (const each of all(SOL_A)) await correct(each);
      expect(await shown(ETH_A)).toMatchObject({ score: 30 });
      expect(await shown(SOL_A)).toMatchObject({ score: 30 });
    });

    it('a correction of something unknown is refused, and others are applied', async () => {
      await write({ activities: [activityOf(ETH_A, 'a')] });
      const unknown = [
        correctionOf('x', 'b'),
        correctionOf('y', 'a', { wallet: SOL_A }),
        correctionOf('z', 'a', { points: 5 }),
      ];
      expect(await correct(...unknown)).toEqual({
        ...{ added: 1, known: 0 },
        refused: [0, 1].map((place) => ({
          ...{ place, kind: 'refused', code: 'unknown-activity' },
          reason: expect.stringContaining('There is no such event to correct'),
        })),
      });
      expect(await shown()).toMatchObject({ score: 5 });
      expect((await source.reading().stats()).totalUsers).toBe(1);
    });

    it('a badge earned in error is lost, and the right one is there', async () => {
      const award = { badge: 'voter', timestamp: 1_000 };
      await write({
        badges: [badgeNamed('voter'), badgeNamed('diver')],
        activities: [activityOf(ETH_A, 'a', award), activityOf(SOL_A, 'a', award)],
      });
      await correct(correctionOf('x', 'a', { badge: 'diver', timestamp: 2_000 }));
      expect(await shown()).toMatchObject({
        badges: ['Badge diver'],
        list: [{ id: 'diver', earnedAt: formatTime(2_000) }],
        stats: { totalBadgesIssued: 2 },
      });
      await correct(correctionOf('y', 'a', { timestamp: 2_000 }));
      expect(await shown()).toMatchObject({
        badges: [],
        list: [],
        stats: { totalBadgesIssued: 1 },
      });
      // It can be earned again.
      await write({ activities: [activityOf(ETH_A, 'b', { badge: 'voter', timestamp: 7_000 })] });
      await refreshed(store);
      expect(await shown()).toMatchObject({
        ...{ badges: ['Badge voter'], list: [{ id: 'voter', earnedAt: formatTime(7_000) }] },
      });
      expect(await shown(SOL_A)).toMatchObject({ badges: ['Badge voter'] });
    });

    it("badges are shown while a correction that removes one isn't followed yet", async () => {
      const activities = [activityOf(ETH_A, 'a', { badge: 'voter' })];
      await write({ badges: [badgeNamed('voter')], activities });
      await refreshed(store);
      const reading = source.reading();
      await reading.badges(ETH_A);
      const writer = store.openWriter();
      await writer.stageCorrections([correctionOf('x', 'a')]);
      await writer.commit();
      // From before or after the correction was applied: with or without the badge, but never an error.
      const next = source.reading();
      expect((await next.badges(ETH_A))?.total).toBeOneOf([0, 1]);
      if ((await next.badges(ETH_A))?.total === 0) expect(next.revision).not.toBe(reading.revision);
      await refreshed(store);
      expect(await shown()).toMatchObject({ list: [] });
    });

    it('a badge that something else earns too is kept, from then on', async () => {
      await write({
        badges: [badgeNamed('voter')],
        activities: [
          activityOf(ETH_A, 'a', { badge: 'voter', timestamp: 1_000 }),
          activityOf(ETH_A, 'b', { badge: 'voter', timestamp: 5_000 }),
        ],
      });
      await correct(correctionOf('x', 'a', { timestamp: 1_000 }));
      const list = (earnedAt: number) => ({ list: [{ earnedAt: formatTime(earnedAt) }] });
      expect(await shown()).toMatchObject(list(5_000));
      await correct(correctionOf('y', 'b', { badge: 'voter', timestamp: 3_000 }));
      expect(await shown()).toMatchObject(list(3_000));
      // Back and forth in one commit, ending without it.
      await correct(
        correctionOf('z', 'b', { timestamp: 3_000 }),
        correctionOf('v', 'b', { badge: 'voter', timestamp: 4_000 }),
      );
      expect(await shown()).toMatchObject(list(4_000));
      await correct(
        correctionOf('u', 'a', { badge: 'voter', timestamp: 900 }),
        correctionOf('t', 'a', { timestamp: 900 }),
        correctionOf('s', 'b', { timestamp: 4_000 }),
      );
      expect(await shown()).toMatchObject({ badges: [], stats: { totalBadgesIssued: 0 } });
    });

    it('a writer continues after a correction, with correct line positions', async () => {
      const writer: LedgerWriter = store.openWriter();
      const commit = async (keys: string[], points = 10) => {
        await writer.stage(
          batchOf({ activities: keys.map((key) => activityOf(ETH_A, key, { points })) }),
        );
        return writer.commit();
      };
      await commit(['a', 'b']);
      await writer.stageCorrections([correctionOf('x', 'a', { points: 4 })]);
      expect(await writer.commit()).toEqual({ added: 1, known: 0 });
      expect(await commit(['c', 'a'])).toEqual({ added: 1, known: 1 });
      expect(await commit(['d', 'b'], 9)).toMatchObject({ added: 1, refused: [{ place: 1 }] });
      await writer.finish();
      await refreshed(store);
      expect(await shown()).toMatchObject({ score: 4 + 10 + 10 + 9 });
    });
  });
}
