import { describe, expect, it } from 'vitest';
import { ORDER_KEYS, WalletRecords } from '#reputation/standings/wallet-columns';

describe('wallet records', () => {
  it('keep the order key beside the last of four chains and the most badges', () => {
    const records = new WalletRecords(4);
    records.reserve(1);
    records.setAddress(1, 7, 3, ORDER_KEYS - 1);
    records.setBadgeCount(1, 0xffff);

    expect(records.chainIndex(1)).toBe(3);
    expect(records.orderKey(1)).toBe(ORDER_KEYS - 1);
    expect(records.badgeCount(1)).toBe(0xffff);
  });

  it('stay as they are while their number grows', () => {
    const records = new WalletRecords();
    const numbers = [1, 1_023, 1_024, 5_000, 65_535, 65_536, 200_000];
    for (const [i, wallet] of numbers.entries()) {
      records.reserve(wallet);
      records.setAddress(wallet, wallet + 1, i % 3, i);
      records.setSums(wallet, -wallet, i, i);
    }
    for (const [i, wallet] of numbers.entries()) {
      expect(records.handle(wallet)).toBe(wallet + 1);
      expect([records.points(wallet), records.activities(wallet)]).toEqual([-wallet, i]);
      expect([records.chainIndex(wallet), records.orderKey(wallet)]).toEqual([i % 3, i]);
    }
    expect([records.handle(2), records.points(2), records.handle(300_000)]).toEqual([0, 0, 0]);
  });

  it('refuse a fifth chain, in types and at start', () => {
    // @ts-expect-error Four is what two bits tell apart.
    expect(() => new WalletRecords(5)).toThrow(RangeError);
  });
});
