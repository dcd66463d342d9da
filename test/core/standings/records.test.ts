import { describe, expect, it } from 'vitest';
import { ORDER_KEYS, WalletRecords } from '#core/standings/records';

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

  it('refuse a fifth chain, in types and at start', () => {
    // @ts-expect-error Four is what two bits tell apart.
    expect(() => new WalletRecords(5)).toThrow(RangeError);
  });
});
