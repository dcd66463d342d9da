import { type ActivityColumns, textAt } from '#core/activity-columns';

/** More activities than one commit ever has; wallet numbers have 27 bits. */
const UNIT = 2 ** 25;

/** Activities of one commit, each once, by wallet and id. */
export interface Ordered {
  readonly activities: ActivityColumns;
  /** In `activities`, of each one. */
  readonly places: Uint32Array;
  /** Of each one. */
  readonly wallets: Uint32Array;
}

/**
 * Neighbours in the ledger's index one after the other: a page that many rows of a batch fall on is
 * then needed once. Of activities with the same id the first one stays.
 * @param numbers of the activities' wallets
 */
export function inIndexOrder(activities: ActivityColumns, numbers: Uint32Array): Ordered {
  const keys = new Float64Array(numbers.length);
  for (const [place, number] of numbers.entries()) keys[place] = number * UNIT + place;
  keys.sort();
  const places = new Uint32Array(keys.length);
  const wallets = new Uint32Array(keys.length);
  let count = 0;
  for (let from = 0; from < keys.length; ) {
    const wallet = Math.floor((keys[from] as number) / UNIT);
    const own: number[] = [];
    for (let key = keys[from]; key !== undefined && key < (wallet + 1) * UNIT; key = keys[++from]) {
      own.push(key - wallet * UNIT);
    }
    // Most wallets have one in a batch.
    for (const place of own.length > 1 ? byId(activities, own) : own) {
      places[count] = place;
      wallets[count] = wallet;
      count += 1;
    }
  }
  return { activities, places: places.subarray(0, count), wallets: wallets.subarray(0, count) };
}

/** Some places in the order of their ids; of the same id the first one. */
function byId({ ids }: ActivityColumns, places: readonly number[]): Iterable<number> {
  const own = new Map<string, number>();
  for (const place of places) {
    const id = textAt(ids, place);
    if (!own.has(id)) own.set(id, place);
  }
  const sorted = [...own].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, place]) => place);
}
