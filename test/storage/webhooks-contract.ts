import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#storage/store';
import {
  type HeldDelivery,
  KEPT_ATTEMPTS,
  type WebhookAttempt,
  type WebhookCommit,
  type WebhookStore,
} from '#webhooks/store';
import { MAX_WEBHOOKS, type WebhookEvent } from '#webhooks/webhook';
import { activityOf, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import type { StoreUnderTest } from './contract.ts';

const ID = 'wh_1';
/** The cursor of an empty ledger. */
const EMPTY = '0-000000000000';
const WEBHOOK = {
  id: ID,
  url: 'https://example.org/hook',
  events: ['tier.changed', 'badge.earned'],
  chain: 'solana',
  minTier: 'Shark',
  secret: 'whsec_one',
  createdAt: 1_800_000_000,
} as const;
const EVENT: WebhookEvent = {
  type: 'tier.changed',
  timestamp: '2026-11-22T20:00:00Z',
  data: {
    cursor: '1-aa',
    address: '0xAB"\n€',
    chain: 'ethereum',
    score: 9_000_000_000_000,
    tier: 'Titan',
    previousScore: null,
    previousTier: null,
    badgesEarned: ['og'],
    at: '2026-11-22T20:00:00Z',
  },
};
const DELIVERY: HeldDelivery = {
  number: 7,
  id: 'msg_7',
  events: [EVENT, EVENT],
  failures: 2,
  failingSeconds: 90,
};
const ATTEMPT: WebhookAttempt = {
  at: 1_800_000_001,
  delivery: 'msg_7',
  events: 2,
  isTaken: false,
  result: 'HTTP 500',
  milliseconds: 12,
};
const NOTHING: WebhookCommit = {
  cursor: '5-bb',
  deliveries: [],
  events: [],
  droppedDeliveries: [],
  droppedEvents: [],
  attempts: [],
};

/** How every store keeps webhooks. */
export function webhooksContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of webhooks`, () => {
    let store: Store;
    let webhooks: WebhookStore;

    beforeEach(async () => {
      store = await under.open();
      webhooks = store.webhooks;
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const shown = async (id = ID) => (await webhooks.list()).find((each) => each.id === id);

    it('lists what was added, oldest first', async () => {
      await webhooks.add(WEBHOOK);
      await webhooks.add({ ...WEBHOOK, id: 'wh_0', chain: 'all', minTier: undefined });
      expect(await webhooks.list()).toEqual([
        {
          ...WEBHOOK,
          oldSecret: undefined,
          pause: undefined,
          held: 0,
          lastAttempt: undefined,
        },
        expect.objectContaining({ id: 'wh_0', chain: 'all', minTier: undefined }),
      ]);
    });

    it('begins with what is committed after it was added', async () => {
      await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a')] }));
      const source = await store.openSource();
      await webhooks.add(WEBHOOK);
      expect((await webhooks.begin(ID))?.cursor).toBe(source.changes?.head());
      await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'b')] }));
      await refreshed(store);
      await webhooks.resume(ID, true);
      expect((await webhooks.begin(ID))?.cursor).toBe(source.changes?.head());
    });

    it('has a limit', async () => {
      for (let i = 0; i < MAX_WEBHOOKS; i++) await webhooks.add({ ...WEBHOOK, id: `wh_${i}` });
      const add = async () => await webhooks.add({ ...WEBHOOK, id: 'wh_more' });
      await expect(add()).rejects.toMatchObject({ code: 'webhook-limit' });
    });

    it('says so where there is none', async () => {
      const missing = { code: 'webhook-not-found' };
      await expect(
        (async () => await webhooks.rotate('x', 's', { at: 0, until: 1, endsOlder: true }))(),
      ).rejects.toMatchObject(missing);
      await expect((async () => await webhooks.remove('x'))()).rejects.toMatchObject(missing);
      await expect((async () => await webhooks.resume('x', true))()).rejects.toMatchObject(missing);
      await expect((async () => await webhooks.attempts('x'))()).rejects.toMatchObject(missing);
      expect(await webhooks.begin('x')).toBeUndefined();
      expect(await webhooks.commit('x', 1, NOTHING)).toBe(false);
    });

    it('keeps the secret before the last while it is replaced, and replaces no other meanwhile', async () => {
      await webhooks.add(WEBHOOK);
      const rotate = async (secret: string, at: number, endsOlder = false) =>
        await webhooks.rotate(ID, secret, { at, until: at + 5, endsOlder });
      await rotate('whsec_two', 0);
      expect(await shown()).toMatchObject({
        secret: 'whsec_two',
        oldSecret: { secret: 'whsec_one', until: 5 },
      });
      await expect(rotate('whsec_three', 4)).rejects.toMatchObject({
        code: 'webhook-rotating',
        message: expect.stringContaining('until 1970-01-01T00:00:05Z'),
      });
      expect(await shown()).toMatchObject({
        secret: 'whsec_two',
        oldSecret: { secret: 'whsec_one', until: 5 },
      });
      await rotate('whsec_three', 5);
      expect(await shown()).toMatchObject({
        secret: 'whsec_three',
        oldSecret: { secret: 'whsec_two', until: 10 },
      });
      await rotate('whsec_four', 6, true);
      expect(await shown()).toMatchObject({
        secret: 'whsec_four',
        oldSecret: { secret: 'whsec_three', until: 11 },
      });
    });

    it('goes on from the last commit', async () => {
      await webhooks.add(WEBHOOK);
      const first = await webhooks.begin(ID);
      expect(first).toEqual({ round: 1, cursor: EMPTY, deliveries: [], events: [] });
      const events = [
        { number: 9, event: EVENT },
        { number: 8, event: EVENT },
      ];
      const commit = { ...NOTHING, deliveries: [DELIVERY], events, attempts: [ATTEMPT] };
      expect(await webhooks.commit(ID, 1, commit)).toBe(true);
      expect(await shown()).toMatchObject({ held: 4, lastAttempt: ATTEMPT });
      expect(await webhooks.begin(ID)).toEqual({
        round: 2,
        cursor: '5-bb',
        deliveries: [DELIVERY],
        events: [
          { number: 8, event: EVENT },
          { number: 9, event: EVENT },
        ],
      });
      // The same again, as after a lost response.
      const again = { ...DELIVERY, failures: 3, failingSeconds: 100 };
      for (let i = 0; i < 2; i++) {
        const next = { ...commit, cursor: '6-cc', deliveries: [again], droppedEvents: [8] };
        expect(await webhooks.commit(ID, 2, { ...next, events: events.slice(0, 1) })).toBe(true);
      }
      expect(await webhooks.begin(ID)).toMatchObject({
        cursor: '6-cc',
        deliveries: [again],
        events: [{ number: 9 }],
      });
      const empty = { ...NOTHING, droppedDeliveries: [7], droppedEvents: [9] };
      expect(await webhooks.commit(ID, 3, empty)).toBe(true);
      expect(await shown()).toMatchObject({ held: 0 });
    });

    it('writes nothing for a holder whose round is over', async () => {
      await webhooks.add(WEBHOOK);
      const old = await webhooks.begin(ID);
      const next = await webhooks.begin(ID);
      const late = { ...NOTHING, deliveries: [DELIVERY], attempts: [ATTEMPT] };
      expect(await webhooks.commit(ID, old!.round, late)).toBe(false);
      expect(await shown()).toMatchObject({ held: 0, lastAttempt: undefined });
      expect(await webhooks.commit(ID, next!.round, NOTHING)).toBe(true);
    });

    it('pauses and resumes: what failed counts as new', async () => {
      await webhooks.add(WEBHOOK);
      await webhooks.begin(ID);
      const pause = { at: 1_800_000_100, reason: 'It failed.' };
      const events = [{ number: 8, event: EVENT }];
      expect(
        await webhooks.commit(ID, 1, { ...NOTHING, deliveries: [DELIVERY], events, pause }),
      ).toBe(true);
      expect(await shown()).toMatchObject({ pause, held: 3 });
      expect(await webhooks.begin(ID)).toBeUndefined();
      expect(await webhooks.commit(ID, 1, NOTHING)).toBe(false);

      await webhooks.resume(ID, false);
      expect(await shown()).toMatchObject({ pause: undefined, held: 3 });
      const fresh = { ...DELIVERY, failures: 0, failingSeconds: 0 };
      expect(await webhooks.begin(ID)).toMatchObject({
        cursor: '5-bb',
        deliveries: [fresh],
        events,
      });

      await webhooks.resume(ID, true);
      expect(await webhooks.begin(ID)).toMatchObject({
        cursor: EMPTY,
        deliveries: [],
        events: [],
      });
    });

    it('pauses all at once, but keeps earlier reasons', async () => {
      await webhooks.add(WEBHOOK);
      await webhooks.add({ ...WEBHOOK, id: 'wh_2' });
      const first = { at: 1_800_000_100, reason: 'It failed.' };
      const round = (await webhooks.begin(ID))?.round ?? 0;
      expect(await webhooks.commit(ID, round, { ...NOTHING, pause: first })).toBe(true);
      const held = (await webhooks.begin('wh_2'))?.round ?? 0;
      const pause = { at: 1_800_000_200, reason: 'Restored.' };
      expect(await webhooks.pauseAll(pause)).toBe(2);
      expect((await webhooks.list()).map((each) => each.pause)).toEqual([first, pause]);
      expect(await webhooks.commit('wh_2', held, NOTHING)).toBe(false);
      expect(await webhooks.begin('wh_2')).toBeUndefined();
      expect(await webhooks.pauseAll(pause)).toBe(2);
      await webhooks.resume('wh_2', false);
      expect(await webhooks.begin('wh_2')).toBeDefined();
    });

    it('keeps the latest attempts, newest first', async () => {
      await webhooks.add(WEBHOOK);
      await webhooks.begin(ID);
      for (let i = 0; i < 3; i++) {
        const attempts = Array.from({ length: 40 }, (_, j) => ({ ...ATTEMPT, events: 40 * i + j }));
        await webhooks.commit(ID, 1, { ...NOTHING, attempts });
      }
      const kept = await webhooks.attempts(ID);
      expect(kept.map(({ events }) => events)).toEqual(
        Array.from({ length: KEPT_ATTEMPTS }, (_, i) => 119 - i),
      );
    });

    it('removes all of a webhook, and of no other', async () => {
      await webhooks.add(WEBHOOK);
      await webhooks.add({ ...WEBHOOK, id: 'wh_2' });
      for (const id of [ID, 'wh_2']) {
        await webhooks.begin(id);
        const events = [{ number: 8, event: EVENT }];
        await webhooks.commit(id, 1, { ...NOTHING, deliveries: [DELIVERY], events });
      }
      await webhooks.remove(ID);
      expect(await webhooks.list()).toMatchObject([{ id: 'wh_2', held: 3 }]);
      await webhooks.add(WEBHOOK);
      expect(await shown()).toMatchObject({ held: 0 });
    });
  });
}
