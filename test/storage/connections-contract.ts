import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataState, RoleConnectionStore } from '#platforms/role-connections/store';
import type { Store } from '#storage/store';
import type { StoreUnderTest } from './contract.ts';

const NOW = 1_800_000_000;
const TOKENS = Uint8Array.of(1, 0, 255, 7);
const OTHERS = Uint8Array.of(2, 2);
const SHOWING: MetadataState = {
  shown: {
    figures: { score: 7_420, tier: 4, rank: 2, badges: 0, linkedAt: NOW - 9 },
    name: '0xfDE9…C026',
    wallets: ['0xfDE9', 'ANyA'],
  },
  isAccepted: true,
  fall: {
    reads: 2,
    firstAt: NOW - 5,
    lastAt: NOW,
    figures: { score: 3, tier: 1, rank: 900, badges: 1, linkedAt: NOW },
  },
  checkedAt: NOW + 5,
};

/** How every store keeps members connected for Linked Roles. */
export function connectionsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of connections`, () => {
    let store: Store;
    let connections: RoleConnectionStore;

    beforeEach(async () => {
      store = await under.open();
      connections = store.connections;
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const accountsDue = async (checkedBy: number, limit = 10, latest = NOW + 9_999) =>
      (await connections.due(checkedBy, latest, limit)).map(({ account }) => account);

    it('nobody is connected at first', async () => {
      expect(await connections.find('1')).toBeUndefined();
      expect(await connections.due(NOW, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
      expect(await connections.drop('1', 1)).toBe(false);
      expect(await connections.replaceTokens('1', 1, TOKENS)).toBe(false);
      await connections.note('1', SHOWING);
      expect(await connections.find('1')).toBeUndefined();
    });

    it('a new connection is due at once, with nothing shown', async () => {
      await connections.connect('1', TOKENS, NOW);
      expect(await connections.find('1')).toEqual({
        account: '1',
        tokens: TOKENS,
        version: 1,
        connectedAt: NOW,
        checkedAt: 0,
        isAccepted: false,
        shown: undefined,
        fall: undefined,
      });
      expect(await accountsDue(0)).toEqual(['1']);
      expect(await connections.find('2')).toBeUndefined();
    });

    it('what was shown is stored whole, and replaced', async () => {
      await connections.connect('1', TOKENS, NOW);
      await connections.connect('2', TOKENS, NOW);
      await connections.note('1', SHOWING);
      expect(await connections.find('1')).toEqual({
        account: '1',
        tokens: TOKENS,
        version: 1,
        connectedAt: NOW,
        ...SHOWING,
      });
      expect((await connections.find('2'))?.shown).toBeUndefined();
      const nothing = { shown: undefined, isAccepted: false, fall: undefined, checkedAt: NOW };
      await connections.note('1', nothing);
      expect(await connections.find('1')).toMatchObject(nothing);
    });

    it('a missing figure stays missing', async () => {
      const nothing = { score: undefined, tier: undefined, rank: undefined, badges: undefined };
      const figures = { ...nothing, linkedAt: NOW };
      await connections.connect('1', TOKENS, NOW);
      const shown = { figures, name: undefined, wallets: [] };
      await connections.note('1', { ...SHOWING, shown });
      expect((await connections.find('1'))?.shown).toEqual(shown);
    });

    it('tokens only replace those that were read', async () => {
      await connections.connect('1', TOKENS, NOW);
      await connections.note('1', SHOWING);
      expect(await connections.replaceTokens('1', 1, OTHERS)).toBe(true);
      expect(await connections.replaceTokens('1', 1, TOKENS)).toBe(false);
      expect(await connections.find('1')).toMatchObject({
        tokens: OTHERS,
        version: 2,
        ...SHOWING,
      });
    });

    it('a reconnected account keeps what was shown, but is due again', async () => {
      await connections.connect('1', TOKENS, NOW);
      await connections.note('1', SHOWING);
      await connections.connect('1', OTHERS, NOW + 9);
      expect(await connections.find('1')).toEqual({
        account: '1',
        tokens: OTHERS,
        version: 2,
        connectedAt: NOW + 9,
        ...SHOWING,
        isAccepted: false,
        checkedAt: 0,
      });
    });

    it('a connection is only deleted with the tokens that were read', async () => {
      await connections.connect('1', TOKENS, NOW);
      await connections.connect('1', OTHERS, NOW);
      expect(await connections.drop('1', 1)).toBe(false);
      expect(await connections.find('1')).toBeDefined();
      expect(await connections.drop('1', 2)).toBe(true);
      expect(await connections.find('1')).toBeUndefined();
    });

    it('those checked longest ago come first, and no more than requested', async () => {
      for (const [account, checkedAt] of [
        ['1', NOW + 2],
        ['2', NOW],
        ['3', NOW + 1],
      ] as const) {
        await connections.connect(account, TOKENS, NOW);
        await connections.note(account, { ...SHOWING, checkedAt });
      }
      expect(await accountsDue(NOW + 1)).toEqual(['2', '3']);
      expect(await accountsDue(NOW + 2)).toEqual(['2', '3', '1']);
      expect(await accountsDue(NOW + 2, 1)).toEqual(['2']);
      expect(await accountsDue(NOW - 1)).toEqual([]);
    });

    it("an account's connection is in its export, without tokens, and erased with it", async () => {
      const [alice, bob] = [
        { platform: 'discord', id: '1' },
        { platform: 'discord', id: '2' },
      ] as const;
      const elsewhere = { platform: 'telegram', id: '1' } as const;
      await connections.connect('1', TOKENS, NOW);
      await connections.connect('2', TOKENS, NOW);
      await connections.note('1', SHOWING);
      const { shown } = SHOWING;
      expect((await store.links.recordOf(alice)).connection).toEqual({ connectedAt: NOW, shown });
      expect((await store.links.recordOf(bob)).connection).toEqual({
        connectedAt: NOW,
        shown: undefined,
      });
      expect((await store.links.recordOf(elsewhere)).connection).toBeUndefined();
      await store.links.erase(elsewhere, NOW);
      expect(await connections.find('1')).toBeDefined();
      await store.links.erase(alice, NOW);
      expect(await connections.find('1')).toBeUndefined();
      expect((await store.links.recordOf(alice)).connection).toBeUndefined();
      expect(await connections.find('2')).toBeDefined();
    });
  });
}
