import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { wallSeconds } from '#base/time/clock';
import type { LedgerCorrection } from '#reputation/activity';
import type { ChangeEntry, ChangeFeed, ChangesPage, ChangesQuery } from '#reputation/changes';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { BADGES, badge, byText, differences, essence, stateOf } from '../support/change-states.ts';
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
import { rulesText, ScoredStore, TODAY, workshop } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

/** The feed of changes, in every store. */
export function changesContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of changes`, () => {
    let store: Store;
    let source: ReputationSource;
    let feed: ChangeFeed;
    let scored: ScoredStore;

    beforeEach(async () => {
      store = await under.open();
      source = await store.openSource();
      feed = source.changes as ChangeFeed;
      scored = new ScoredStore(store, TODAY);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    async function page(query: Partial<ChangesQuery>, from = feed): Promise<ChangesPage> {
      const read = await from.read({ limit: 1000, chain: 'all', ...query });
      if (read === 'gone') throw new Error('the cursor is gone');
      return read;
    }

    /** Everything after a cursor, page by page. */
    async function all(after: string, query: Partial<ChangesQuery> = {}, from = feed) {
      const entries: ChangeEntry[] = [];
      for (let next = after; ; ) {
        const read = await page({ ...query, after: next }, from);
        entries.push(...read.changes);
        next = read.next;
        if (!read.hasMore) return entries;
      }
    }

    async function write(change: Parameters<typeof batchOf>[0]) {
      await writeTo(store, batchOf(change));
      await refreshed(store);
    }

    async function correct(...corrections: LedgerCorrection[]) {
      const writer = store.openWriter();
      await writer.stageCorrections(corrections);
      await writer.commit();
      await writer.finish();
      await refreshed(store);
    }

    function correctionOf(wallet: Wallet, id: string, key: string, change = {}): LedgerCorrection {
      const { description, points, timestamp, badge } = activityOf(wallet, key);
      const corrects = key.padEnd(16, '0');
      const content = { description, points, timestamp, badge };
      return { id: id.padEnd(16, '0'), wallet, corrects, reason: undefined, ...content, ...change };
    }

    const gone = (after: string) => feed.read({ after, limit: 10, chain: 'all' });

    it('tells each wallet’s change of a commit once, with what was before', async () => {
      const empty = await page({});
      expect(empty).toEqual({ changes: [], next: feed.head(), hasMore: false });
      await write({
        badges: BADGES,
        activities: [
          activityOf(ETH_A, 'a', { points: 400, badge: 'voter' }),
          activityOf(ETH_A, 'b', { points: 200, badge: 'diver' }),
          activityOf(SOL_A, 'a', { points: 7 }),
        ],
      });
      const first = await page({ after: empty.next });
      expect(first.hasMore).toBe(false);
      expect(first.changes).toEqual([
        {
          cursor: expect.stringMatching(/^\d+-[0-9a-f]{12}-1$/),
          address: ETH_A.address,
          chain: 'ethereum',
          score: 600,
          tier: 'Dolphin',
          previousScore: null,
          previousTier: null,
          badgesEarned: ['diver', 'voter'],
          at: expect.stringMatching(/^20\d\d-/),
        },
        expect.objectContaining({
          address: SOL_A.address,
          previousScore: null,
          badgesEarned: [],
          tier: 'Shrimp',
        }),
      ]);
      expect(Object.keys(first.changes[0] ?? {})).toEqual(
        'cursor address chain score tier previousScore previousTier badgesEarned at'.split(' '),
      );
      await write({ activities: [activityOf(ETH_A, 'c', { points: -200, badge: 'voter' })] });
      const [change, ...others] = (await page({ after: first.next })).changes;
      expect(others).toEqual([]);
      expect(change).toMatchObject({
        ...{ score: 400, tier: 'Shrimp', previousScore: 600, previousTier: 'Dolphin' },
        badgesEarned: [],
      });
      expect(await all('0')).toEqual([...first.changes, change]);
    });

    it('makes none of a commit that changes no score, tier or badge', async () => {
      await write({ badges: BADGES, activities: [activityOf(ETH_A, 'a', { points: -5 })] });
      const { next } = await page({});
      await write({ names: [{ wallet: ETH_A, displayName: 'alice' }] });
      await write({ activities: [activityOf(ETH_A, 'a', { points: -5 })] });
      await write({ activities: [activityOf(ETH_A, 'b', { points: 0 })] });
      // Still below the floor of 0.
      await write({ activities: [activityOf(ETH_A, 'c', { points: 3 })] });
      expect(await all(next)).toEqual([]);
      await write({ activities: [activityOf(ETH_A, 'd', { points: 0, badge: 'voter' })] });
      await write({ activities: [activityOf(ETH_A, 'e', { points: 3 })] });
      expect(essence(await all(next))).toEqual([
        { address: ETH_A.address, score: 0, previousScore: 0, badgesEarned: ['voter'] },
        { address: ETH_A.address, score: 1, previousScore: 0, badgesEarned: [] },
      ]);
    });

    it('tells what a correction changes, and a badge that it costs', async () => {
      await write({
        badges: BADGES,
        activities: [activityOf(ETH_A, 'a', { points: 10, badge: 'voter' })],
      });
      const { next } = await page({});
      await correct(correctionOf(ETH_A, 'x', 'a', { points: 10, badge: undefined }));
      expect(essence(await all(next))).toEqual([
        { address: ETH_A.address, score: 10, previousScore: 10, badgesEarned: [] },
      ]);
      await correct(correctionOf(ETH_A, 'y', 'a', { points: 4, badge: 'diver' }));
      const told = await all(next);
      expect(told).toHaveLength(2);
      expect(told[1]).toMatchObject({ score: 4, previousScore: 10, badgesEarned: ['diver'] });
    });

    it('tells of new rules, then of what they change; and of each step they take', async () => {
      await write({ activities: [activityOf(ETH_A, 'a', { points: 7 })] });
      await scored.add(eventOf(ETH_A, 'w1'), eventOf(SOL_A, 'w1'), eventOf(SOL_A, 'w2'));
      await refreshed(store);
      const { next } = await page({});
      await scored.apply(rulesText([workshop]));
      await refreshed(store);
      const [mark, ...told] = await all(next);
      expect(mark).toEqual({
        cursor: expect.stringMatching(/-1$/),
        rules: { name: 'test', version: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        at: expect.stringMatching(/^20\d\d-/),
      });
      expect(essence(told)).toEqual([
        { address: ETH_A.address, score: 32, previousScore: 7, badgesEarned: [] },
        { address: SOL_A.address, score: 50, previousScore: null, badgesEarned: [] },
      ]);
      // A reader may stop between the mark and its changes, and continue later.
      expect(await all(mark?.cursor ?? '')).toEqual(told);
      const later = await page({});
      await scored.add(eventOf(ETH_A, 'w2'), eventOf(ETH_B, 'w1'));
      await scored.follow();
      await write({ activities: [activityOf(SOL_A, 'a', { points: -60 })] });
      expect(essence(await all(later.next))).toEqual([
        { address: ETH_A.address, score: 57, previousScore: 32, badgesEarned: [] },
        { address: ETH_B.address, score: 25, previousScore: null, badgesEarned: [] },
        { address: SOL_A.address, score: 0, previousScore: 50, badgesEarned: [] },
      ]);
      // Rules without any effect are reported, too.
      const last = await page({});
      await scored.apply(rulesText([workshop], { version: 2 }));
      await refreshed(store);
      expect(await all(last.next)).toEqual([expect.objectContaining({ rules: expect.anything() })]);
    });

    it('tells that a wallet left the leaderboard, even if it had no points', async () => {
      const given = (points: number, version: number) =>
        rulesText(
          [`{id: a, on: {import: workshop_attended}, give: {type: spam, points: ${points}}}`],
          {
            version,
          },
        );
      await scored.add(eventOf(ETH_A, 'a'));
      await write({ activities: [activityOf(ETH_B, 'b')] });
      await scored.apply(given(-10, 1));
      await refreshed(store);
      const cursor = feed.head();
      expect(await stateOf(source)).toHaveProperty('size', 2);
      await scored.apply(
        rulesText([workshop.replace('workshop_attended', 'other')], { version: 2 }),
      );
      await refreshed(store);
      expect(await stateOf(source)).toHaveProperty('size', 1);
      expect(essence(await all(cursor))).toEqual([
        {
          ...{ address: ETH_A.address, score: 0, previousScore: 0, badgesEarned: [] },
          noActivity: true,
        },
      ]);
      // With activity again, it starts again.
      await write({ activities: [activityOf(ETH_A, 'c', { points: -5 })] });
      const [, , again] = await all(cursor);
      expect(again).toMatchObject({ score: 0, previousScore: null });
      expect(again).not.toHaveProperty('noActivity');
    });

    it('gives the wallets of one chain, and marks of rules with them', async () => {
      const { next } = await page({});
      await write({ activities: ALL_WALLETS.map((wallet) => activityOf(wallet, 'a')) });
      await scored.apply(rulesText([workshop]));
      await refreshed(store);
      const told = await all(next, { chain: 'solana', limit: 1 });
      expect(told.map((entry) => ('rules' in entry ? 'rules' : entry.chain))).toEqual([
        'solana',
        'solana',
        'rules',
      ]);
    });

    it('refuses what is no cursor, and says which are gone', async () => {
      await write({ activities: [activityOf(ETH_A, 'a')] });
      const { next } = await page({});
      for (const text of ['', 'x', '1', '-1', `${next}-0`, `${next} `, '1-XYZ', '0-0']) {
        await expect(gone(text), text).rejects.toThrow(UserError);
      }
      const [, uid] = next.split('-');
      // Another history's commit with the same number, a future one, and a place that doesn't exist.
      expect(await gone('1-0123456789ab')).toBe('gone');
      expect(await gone(`9-${uid}`)).toBe('gone');
      expect(await gone(`${next}-2`)).toBe('gone');
      expect(await gone(`${next}-1`)).not.toBe('gone');
    });

    it('keeps what is configured, and knows what is gone', async () => {
      const begin = (await page({})).next;
      for (const key of ['a', 'b', 'c', 'd']) await write({ activities: [activityOf(ETH_A, key)] });
      const told = await all(begin);
      expect(await store.pruneChanges({ age: 1000, count: 10 }, wallSeconds())).toBe(false);
      expect(await all('0')).toEqual(told);
      await store.pruneChanges({ age: 1000, count: 2 }, wallSeconds());
      expect(await gone(begin)).toBe('gone');
      expect(await gone(told[0]?.cursor ?? '')).toBe('gone');
      expect(await all(told[1]?.cursor ?? '')).toEqual(told.slice(2));
      expect(await all('0')).toEqual(told.slice(2));
      const { next } = await page({});
      await store.pruneChanges({ age: -10, count: 10 }, wallSeconds());
      expect(await all('0')).toEqual([]);
      expect(await gone(told[2]?.cursor ?? '')).toBe('gone');
      await write({ activities: [activityOf(ETH_A, 'e')] });
      expect(await all(next)).toHaveLength(1);
      expect(await all('0')).toHaveLength(1);
    });

    it('wakes who waits for more', async () => {
      const { next } = await page({});
      let reads = Promise.resolve<readonly ChangeEntry[]>([]);
      const end = feed.subscribe(() => {
        reads = all(next);
      });
      await write({ activities: [activityOf(ETH_A, 'a')] });
      expect(await reads).toHaveLength(1);
      end();
    });

    it('leaves nothing out and tells nothing twice, from any cursor on', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(STEP, { minLength: 3, maxLength: 7 }), fc.nat(), checkModel),
        { numRuns: 4, endOnFailure: true },
      );
    });

    let runs = 0;

    /** Compares the entries with the scores before and after each step. */
    async function checkModel(steps: readonly Step[], seed: number): Promise<void> {
      // A separate store would take longer; each run continues from where the previous one ended.
      const run = (runs++).toString(36);
      const early = steps.map((_, index) =>
        activityOf(ETH_A, `${run}z${index}z0`, { points: 9, badge: 'early' }),
      );
      await write({ badges: BADGES, activities: early });
      const begin = (await page({})).next;
      const cursors = [begin];
      for (const [index, step] of steps.entries()) {
        const before = await stateOf(source);
        const since = (await page({})).next;
        await take(step, `${run}z${index}`);
        await refreshed(store);
        const told = await all(since);
        // Applying rules may take several commits; each wallet's scores must still join up.
        expect(joined(told)).toEqual(differences(before, await stateOf(source)));
        cursors.push(...told.map(({ cursor }) => cursor));
      }
      const whole = await all(begin);
      expect(new Set(cursors).size).toBe(whole.length + 1);
      const place = seed % cursors.length;
      const limit = 1 + (seed % 3);
      expect(await all(cursors[place] ?? '', { limit })).toEqual(whole.slice(place));
      const other = await under.again?.();
      if (other === undefined) return;
      const { changes } = await other.openSource();
      expect(await all(cursors[place] ?? '', {}, changes)).toEqual(whole.slice(place));
      await other.close();
    }

    async function take(step: Step, key: string): Promise<void> {
      const id = (index: number) => `${key}z${index}`;
      if (step.kind === 'write') {
        const activities = step.rows.map(([wallet, points, earns], index) =>
          activityOf(wallet, id(index + 1), { points, badge: earns }),
        );
        await write({ activities });
      } else if (step.kind === 'correct') {
        await correct(
          correctionOf(ETH_A, id(1), id(0), { points: step.points, badge: step.first }),
          correctionOf(ETH_A, id(2), id(0), { points: step.points, badge: step.last }),
        );
      } else if (step.kind === 'events') {
        await scored.add(...step.wallets.map((wallet, index) => eventOf(wallet, id(index))));
        if ((await store.scoring.live()) !== undefined) await scored.follow();
      } else {
        const rule = workshop.replace('25}', `${step.points}}`);
        await scored.apply(rulesText([rule], { version: ++version, more: badge(step.badge) }));
      }
    }
    let version = 0;
  });
}

/** Merges a wallet's changes if each starts where the previous one ended. */
function joined(entries: readonly ChangeEntry[]) {
  const all = new Map<string, ReturnType<typeof essence>[number]>();
  for (const entry of entries) {
    for (const change of essence([entry])) {
      const before = all.get(change.address);
      if (before !== undefined && before.score !== change.previousScore) {
        throw new Error(`${change.address} went from ${before.score}, not ${change.previousScore}`);
      }
      const badgesEarned = [...(before?.badgesEarned ?? []), ...change.badgesEarned].sort(byText);
      const previousScore = before === undefined ? change.previousScore : before.previousScore;
      all.set(change.address, { ...change, previousScore, badgesEarned });
    }
  }
  return [...all.values()].sort((one, other) => (one.address < other.address ? -1 : 1));
}

type Step =
  | { kind: 'write'; rows: [Wallet, number, string | undefined][] }
  | { kind: 'correct'; points: number; first: string | undefined; last: string | undefined }
  | { kind: 'events'; wallets: Wallet[] }
  | { kind: 'rules'; points: number; badge: string };

const someBadge = fc.constantFrom('voter', 'diver', 'early', undefined);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    rows: fc.array(
      fc.tuple(fc.constantFrom(...ALL_WALLETS), fc.integer({ min: -300, max: 600 }), someBadge),
      { maxLength: 6 },
    ),
  }),
  fc.record({
    kind: fc.constant('correct' as const),
    points: fc.integer({ min: -20, max: 20 }),
    first: someBadge,
    last: someBadge,
  }),
  fc.record({
    kind: fc.constant('events' as const),
    wallets: fc.array(fc.constantFrom(...ALL_WALLETS), { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('rules' as const),
    points: fc.constantFrom(0, 10, 25),
    badge: fc.constantFrom('voter', 'diver'),
  }),
);
