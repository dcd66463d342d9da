import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Delivery, type InboxStore, MOST_TRIES } from '#cluster/inbox';
import type { Store } from '#storage/store';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps deliveries until they're answered. */
export function inboxContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of inboxes`, () => {
    let store: Store;
    let inbox: InboxStore;

    beforeEach(async () => {
      store = await under.open();
      inbox = store.inbox;
      for (const each of ['a', 'b', 'c', 'd']) await store.work.beat(each);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const delivery = (id: string, platform: Delivery['platform'] = 'telegram'): Delivery => ({
      platform,
      id,
      body: JSON.stringify({ id, text: 'é \u0000 \u{1F600}' }),
    });

    it('a delivery is accepted once, whichever replica receives it', async () => {
      expect(await inbox.receive(delivery('1'), 'a')).toBe(true);
      expect(await inbox.receive(delivery('1'), 'a')).toBe(false);
      expect(await inbox.receive(delivery('1'), 'b')).toBe(false);
      expect(await inbox.receive(delivery('1', 'discord'), 'b')).toBe(true);
      expect(await inbox.receive(delivery('2'), 'b')).toBe(true);
    });

    it('what was answered is still known, and nobody takes it over', async () => {
      await inbox.receive(delivery('1'), 'a');
      await inbox.settle('telegram', '1');
      await inbox.settle('telegram', '1');
      await inbox.settle('telegram', 'never seen');
      await store.work.leave('a');
      expect(await inbox.takeOver('telegram', 'b', 10)).toEqual([]);
      expect(await inbox.receive(delivery('1'), 'b')).toBe(false);
    });

    it('what nobody has settled can be looked through, whoever has it', async () => {
      const parts = ['"id":', '\u{1F600}'] as const;
      for (const id of ['1', '2', '3']) await inbox.receive(delivery(id), 'a');
      await inbox.receive(delivery('4', 'discord'), 'b');
      await inbox.settle('telegram', '2');
      await store.work.leave('a');
      expect(await inbox.waiting('telegram', parts)).toEqual([
        delivery('1').body,
        delivery('3').body,
      ]);
      await inbox.takeOver('telegram', 'b', 1);
      expect(await inbox.waiting('telegram', [parts[0], '"3"'])).toEqual([delivery('3').body]);
      expect(await inbox.waiting('telegram', ['"3"', '%'])).toEqual([]);
    });

    it('what a dead replica left is taken over unchanged, oldest first', async () => {
      for (const id of ['9', '10', '1']) await inbox.receive(delivery(id), 'a');
      await inbox.receive(delivery('5', 'discord'), 'a');
      await store.work.leave('a');
      expect(await inbox.takeOver('telegram', 'b', 2)).toEqual([delivery('9'), delivery('10')]);
      expect(await inbox.takeOver('telegram', 'b', 2)).toEqual([delivery('1')]);
      expect(await inbox.takeOver('telegram', 'b', 2)).toEqual([]);
      expect(await inbox.takeOver('discord', 'b', 2)).toEqual([delivery('5', 'discord')]);
    });

    it("a delivery is held by its owner until that one dies or it's settled", async () => {
      await inbox.receive(delivery('1'), 'a');
      await inbox.receive(delivery('2'), 'a');
      const held = (id: string, replica: string) => inbox.isHeld('telegram', id, replica);
      expect(await held('1', 'a')).toBe(true);
      expect(await held('1', 'b')).toBe(false);
      expect(await inbox.isHeld('discord', '1', 'a')).toBe(false);
      expect(await held('never seen', 'a')).toBe(false);
      await inbox.settle('telegram', '2');
      expect(await held('2', 'a')).toBe(false);
      await store.work.leave('a');
      await inbox.takeOver('telegram', 'b', 10);
      // The replica that was suspended is known again, but its deliveries belong to another.
      await store.work.beat('a');
      expect(await held('1', 'a')).toBe(false);
      expect(await held('1', 'b')).toBe(true);
    });

    it("a replica doesn't take over its own deliveries", async () => {
      await inbox.receive(delivery('1'), 'a');
      expect(await inbox.takeOver('telegram', 'a', 10)).toEqual([]);
    });

    it('a delivery that has killed many replicas is given up', async () => {
      await inbox.receive(delivery('1'), 'a');
      await inbox.receive(delivery('2'), 'c');
      await store.work.leave('a');
      for (const [dead, next] of [
        ['b', 'c'],
        ['c', 'd'],
      ] as const) {
        expect(await inbox.takeOver('telegram', dead, 1)).toEqual([delivery('1')]);
        await store.work.leave(dead);
        await store.work.beat(next);
      }
      expect(MOST_TRIES).toBe(3);
      expect(await inbox.takeOver('telegram', 'd', 10)).toEqual([delivery('2')]);
      expect(await inbox.receive(delivery('1'), 'd')).toBe(false);
    });

    it('a replica that never sent a heartbeat may accept all the same', async () => {
      expect(await inbox.receive(delivery('1'), 'early')).toBe(true);
      await store.work.beat('early');
      await store.work.leave('early');
      expect(await inbox.takeOver('telegram', 'a', 10)).toEqual([delivery('1')]);
    });
  });
}
