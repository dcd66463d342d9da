import type { TextArena } from './text-arena.ts';
import { ORDER_KEYS, type WalletRecords } from './wallet-columns.ts';

/** Items per step of `inOrder`, so that other work runs in between. */
const AT_ONCE = 16_384;
const LINES = 512;
/** Numbers sorted, or merged, per step. */
const SORTED_AT_ONCE = 2_048;

/** The scores of all wallets with activity as of one moment. */
export class ScoreSnapshot {
  readonly #records: WalletRecords;
  readonly #arena: TextArena;
  readonly #wallets: Uint32Array;
  /** By wallet number. */
  readonly #points: Float64Array;
  readonly #activities: Uint32Array;

  /** Copies only the figures: addresses never change. */
  constructor(records: WalletRecords, arena: TextArena) {
    this.#records = records;
    this.#arena = arena;
    const { highest } = records;
    this.#points = new Float64Array(highest + 1);
    this.#activities = new Uint32Array(highest + 1);
    const wallets = new Uint32Array(highest);
    let known = 0;
    for (let wallet = 1; wallet <= highest; wallet++) {
      if (records.handle(wallet) === 0) continue;
      wallets[known++] = wallet;
      this.#points[wallet] = records.points(wallet);
      this.#activities[wallet] = records.activities(wallet);
    }
    this.#wallets = wallets.subarray(0, known);
  }

  /** Takes back what a change that's part of it has added to a wallet. Call it before anything is read. */
  takeBack(wallet: number, points: number, activities: number): void {
    this.#points[wallet] = (this.#points[wallet] ?? 0) - points;
    this.#activities[wallet] = (this.#activities[wallet] ?? 0) - activities;
  }

  /**
   * Addresses and scores in byte order of the addresses, in parts that each take a moment. A part
   * may be empty. Buckets by the first characters, then sorts each bucket.
   */
  *inOrder(): Generator<readonly (readonly [address: string, score: number])[]> {
    const starts = new Uint32Array(ORDER_KEYS + 1);
    for (const [place, wallet] of this.#wallets.entries()) {
      const key = this.#records.orderKey(wallet) + 1;
      if (this.#activities[wallet] !== 0) starts[key] = (starts[key] as number) + 1;
      if (place % AT_ONCE === AT_ONCE - 1) yield [];
    }
    for (let key = 0; key < ORDER_KEYS; key++) {
      starts[key + 1] = (starts[key + 1] as number) + (starts[key] as number);
    }
    const ordered = new Uint32Array(starts[ORDER_KEYS] as number);
    const next = starts.slice();
    for (const [place, wallet] of this.#wallets.entries()) {
      if (this.#activities[wallet] !== 0) {
        const key = this.#records.orderKey(wallet);
        const at = next[key] as number;
        ordered[at] = wallet;
        next[key] = at + 1;
      }
      if (place % AT_ONCE === AT_ONCE - 1) yield [];
    }
    const byAddress = (a: number, b: number) =>
      this.#arena.compare(this.#records.handle(a), this.#records.handle(b));
    for (let key = 0; key < ORDER_KEYS; key++) {
      const alike = ordered.subarray(starts[key], starts[key + 1]);
      for (const _ of sortInSteps(alike, byAddress)) yield [];
      for (let from = 0; from < alike.length; from += LINES) {
        yield Array.from(alike.subarray(from, from + LINES), (wallet) => [
          this.#arena.get(this.#records.handle(wallet)),
          Math.max(0, this.#points[wallet] as number),
        ]);
      }
    }
  }
}

/** Sorts in place and yields after each short step, whatever the length. */
function* sortInSteps(
  numbers: Uint32Array,
  compare: (one: number, other: number) => number,
): Generator<undefined> {
  for (let from = 0; from < numbers.length; from += SORTED_AT_ONCE) {
    numbers.subarray(from, from + SORTED_AT_ONCE).sort(compare);
    if (numbers.length > SORTED_AT_ONCE) yield;
  }
  for (let width = SORTED_AT_ONCE; width < numbers.length; width *= 2) {
    for (let from = 0; from + width < numbers.length; from += 2 * width) {
      yield* merge(numbers.subarray(from, from + 2 * width), width, compare);
    }
  }
}

/** Merges two sorted runs, the second starting at `width`. */
function* merge(
  numbers: Uint32Array,
  width: number,
  compare: (one: number, other: number) => number,
): Generator<undefined> {
  const first = numbers.slice(0, width);
  let [one, other] = [0, width];
  for (let to = 0; one < first.length; to++) {
    const isOther =
      other < numbers.length && compare(first[one] as number, numbers[other] as number) > 0;
    numbers[to] = (isOther ? numbers[other++] : first[one++]) as number;
    if (to % SORTED_AT_ONCE === SORTED_AT_ONCE - 1) yield;
  }
}
