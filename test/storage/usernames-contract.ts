import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import { ELSEWHERE, HOME, NOW } from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

const BIGGER = { platform: ELSEWHERE.platform, id: '-100900' } as const;

/** How every store keeps the usernames of people whom the bot has met. */
export function usernamesContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps usernames`, () => {
    let store: Store;
    let gating: GateStore;

    beforeEach(async () => {
      store = await under.open();
      gating = store.gating;
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    it('by community, whatever their case', async () => {
      await gating.noteUsername(ELSEWHERE, '1', 'Alice', NOW);
      expect(await gating.accountNamed(ELSEWHERE, 'aLICE')).toBe('1');
      expect(await gating.accountNamed(HOME, 'alice')).toBeUndefined();
      expect(await gating.accountNamed(ELSEWHERE, 'alic')).toBeUndefined();
    });

    it('of one account at a time, and one for each account', async () => {
      await gating.noteUsername(ELSEWHERE, '1', 'alice', NOW);
      await gating.noteUsername(ELSEWHERE, '2', 'alice', NOW + 1);
      expect(await gating.accountNamed(ELSEWHERE, 'alice')).toBe('2');
      await gating.noteUsername(ELSEWHERE, '2', 'bob', NOW + 2);
      expect(await gating.accountNamed(ELSEWHERE, 'alice')).toBeUndefined();
      expect(await gating.accountNamed(ELSEWHERE, 'bob')).toBe('2');
      await gating.noteUsername(ELSEWHERE, '2', undefined, NOW + 3);
      expect(await gating.accountNamed(ELSEWHERE, 'bob')).toBeUndefined();
    });

    it('until nobody has seen them for long', async () => {
      await gating.noteUsername(ELSEWHERE, '1', 'alice', NOW);
      await gating.noteUsername(HOME, '2', 'bob', NOW - 9);
      await gating.noteUsername(HOME, '2', 'bob', NOW + 9);
      await gating.expireUsernames(NOW + 1);
      expect(await gating.accountNamed(ELSEWHERE, 'alice')).toBeUndefined();
      expect(await gating.accountNamed(HOME, 'bob')).toBe('2');
    });

    it('under a group’s new id, and shows and erases them with their account', async () => {
      await gating.noteUsername(ELSEWHERE, '1', 'alice', NOW);
      await gating.noteUsername(ELSEWHERE, '2', 'bob', NOW);
      await gating.moveCommunity(ELSEWHERE, BIGGER);
      expect(await gating.accountNamed(ELSEWHERE, 'alice')).toBeUndefined();
      expect(await gating.accountNamed(BIGGER, 'alice')).toBe('1');
      const account = { platform: ELSEWHERE.platform, id: '1' };
      const kept = { community: BIGGER.id, username: 'alice', seenAt: NOW };
      expect((await store.links.recordOf(account)).usernames).toEqual([kept]);
      await store.links.erase(account, NOW);
      expect((await store.links.recordOf(account)).usernames).toEqual([]);
      expect(await gating.accountNamed(BIGGER, 'alice')).toBeUndefined();
      expect(await gating.accountNamed(BIGGER, 'bob')).toBe('2');
    });
  });
}
