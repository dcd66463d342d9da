import type { LedgerActivity } from '#core/ports';

/** More activities than one commit ever has; wallet numbers have 27 bits. */
const UNIT = 2 ** 25;

/** Activities of one commit, each once, by wallet and id. */
export interface Ordered {
  readonly activities: readonly LedgerActivity[];
  /** Of each one. */
  readonly wallets: Uint32Array;
}

/**
 * Neighbours in the ledger's index one after the other: a page that many rows of a batch fall on is
 * then needed once. Of activities with the same id the first one stays.
 * @param numberOf an address's wallet number
 */
export function inIndexOrder(
  staged: readonly LedgerActivity[],
  numberOf: (address: string) => number,
): Ordered {
  const keys = new Float64Array(staged.length);
  for (const [place, { wallet }] of staged.entries()) {
    keys[place] = numberOf(wallet.address) * UNIT + place;
  }
  keys.sort();
  const activities: LedgerActivity[] = [];
  const wallets = new Uint32Array(staged.length);
  for (let from = 0; from < keys.length; ) {
    const wallet = Math.floor((keys[from] as number) / UNIT);
    const own: LedgerActivity[] = [];
    for (let key = keys[from]; key !== undefined && key < (wallet + 1) * UNIT; key = keys[++from]) {
      own.push(staged[key - wallet * UNIT] as LedgerActivity);
    }
    // Most wallets have one in a batch. Sorting keeps the order of equal ones.
    if (own.length > 1) own.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    let last: string | undefined;
    for (const activity of own) {
      if (activity.id === last) continue;
      last = activity.id;
      wallets[activities.length] = wallet;
      activities.push(activity);
    }
  }
  return { activities, wallets: wallets.subarray(0, activities.length) };
}
