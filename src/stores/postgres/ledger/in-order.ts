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
  /** Those that were left out, and the place of the one with the same id that stayed. */
  readonly repeated: readonly (readonly [place: number, first: number])[];
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
  const repeated: [number, number][] = [];
  let count = 0;
  for (let from = 0; from < keys.length; ) {
    const first = keys[from] as number;
    const wallet = Math.floor(first / UNIT);
    const next = (wallet + 1) * UNIT;
    let to = from + 1;
    while (to < keys.length && (keys[to] as number) < next) to++;
    // Most wallets have one in a batch.
    if (to === from + 1) {
      places[count] = first - wallet * UNIT;
      wallets[count] = wallet;
      count += 1;
    } else {
      const own = Array.from(keys.subarray(from, to), (key) => key - wallet * UNIT);
      for (const place of byId(activities, own, repeated)) {
        places[count] = place;
        wallets[count] = wallet;
        count += 1;
      }
    }
    from = to;
  }
  return {
    activities,
    places: places.subarray(0, count),
    wallets: wallets.subarray(0, count),
    repeated,
  };
}

/** Some places in the order of their ids; of the same id the first one, others into `repeated`. */
function byId(
  { ids }: ActivityColumns,
  places: readonly number[],
  repeated: [number, number][],
): Iterable<number> {
  const own = new Map<string, number>();
  for (const place of places) {
    const id = textAt(ids, place);
    const first = own.get(id);
    if (first === undefined) own.set(id, place);
    else repeated.push([place, first]);
  }
  const sorted = [...own].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, place]) => place);
}
