import { type ActivityColumns, textAt } from '#reputation';

/** More activities than a commit ever has; wallet numbers have 27 bits. */
const UNIT = 2 ** 25;

/** A commit's activities without duplicates, ordered by wallet and id. */
export interface IndexOrder {
  readonly activities: ActivityColumns;
  /** Each one's index in `activities`. */
  readonly places: Uint32Array;
  /** Each one's wallet. */
  readonly wallets: Uint32Array;
  /** Dropped duplicates, each with the index of the one that was kept. */
  readonly repeated: readonly (readonly [place: number, first: number])[];
}

/**
 * Index neighbours next to each other, so that an index page with many rows of a batch is needed
 * once. Of activities with the same id, the first is kept.
 * @param numbers of the activities' wallets
 */
export function inIndexOrder(activities: ActivityColumns, numbers: Uint32Array): IndexOrder {
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
    // Most wallets have a single one per batch.
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

/** Orders some indexes by id; of duplicates, keeps the first and adds the others to `repeated`. */
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
