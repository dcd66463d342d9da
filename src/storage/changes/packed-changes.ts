/**
 * The changes of a commit, packed: an import changes a wallet with nearly every line, so a row for
 * each would cost half as much as the line itself. Packed, a change takes some 8 bytes.
 *
 * Of each change, in the order of wallet numbers: the difference to the wallet before it, flags, the
 * score, the difference to the score before (if there was one), and the badges earned (if any), all
 * as integers of 7 bits a byte, the lowest first.
 */

/** Changes per part: a page from the middle of a commit unpacks at most this many it does not show. */
const PART_CHANGES = 1_000;

const WAS_SEEN = 1;
const HAS_EARNED = 2;
const IS_GONE = 4;

/** What a wallet lost besides points: badges, or its last activity. */
export type Loss = 'badges' | 'activity';

/** A part of a commit's changes, as stored. */
export interface ChangePart {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** How a commit changed one wallet. */
export interface ChangedWallet {
  /** Its number. */
  readonly wallet: number;
  readonly score: number;
  /** Undefined if the wallet had no activity. */
  readonly before: number | undefined;
  /** Badge numbers. */
  readonly earned: readonly number[];
  /** Whether it was left without any activity. */
  readonly isGone: boolean;
}

const NONE: readonly number[] = [];

/** Packs the changes of one commit, in the order of wallet numbers. */
export class ChangePacker {
  /** How many were added. */
  total = 0;
  readonly #parts: ChangePart[] = [];
  #bytes = new Uint8Array(16 * 1024);
  #length = 0;
  #count = 0;
  #last = 0;
  /** The wallet number that the next delta refers to; reset for each part. */
  #start = 0;

  /**
   * Adds a wallet, unless nothing visible has changed.
   * @param before its sum of points; undefined if it had no activity
   * @param points the sum now
   */
  add(
    wallet: number,
    before: number | undefined,
    points: number,
    earned: readonly number[] = NONE,
    loss?: Loss,
  ): void {
    const score = Math.max(0, points);
    const previous = before === undefined ? undefined : Math.max(0, before);
    if (score === previous && earned.length === 0 && loss === undefined) return;
    if (wallet <= this.#last) throw new Error(`wallet ${wallet} is out of order`);
    // Room for ten integers of at most 8 bytes.
    if (this.#length + 80 + 8 * earned.length > this.#bytes.length) this.#grow(earned.length);
    this.#put(wallet - this.#start);
    this.#last = wallet;
    this.#start = wallet;
    this.total += 1;
    const isKnown = previous === undefined ? 0 : WAS_SEEN;
    const isGone = loss === 'activity' ? IS_GONE : 0;
    this.#put(isKnown | isGone | (earned.length === 0 ? 0 : HAS_EARNED));
    this.#put(score);
    if (previous !== undefined) {
      const gain = score - previous;
      this.#put(gain < 0 ? -2 * gain - 1 : 2 * gain);
    }
    if (earned.length > 0) {
      this.#put(earned.length);
      for (const badge of earned) this.#put(badge);
    }
    this.#count += 1;
    if (this.#count === PART_CHANGES) this.#endPart();
  }

  /** Call it after the last wallet. */
  end(): readonly ChangePart[] {
    if (this.#count > 0) this.#endPart();
    return this.#parts;
  }

  #endPart(): void {
    this.#parts.push({ count: this.#count, bytes: this.#bytes.slice(0, this.#length) });
    this.#length = 0;
    this.#count = 0;
    this.#start = 0;
  }

  #grow(more: number): void {
    const bytes = new Uint8Array(2 * this.#bytes.length + 8 * more);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }

  #put(value: number): void {
    const bytes = this.#bytes;
    let length = this.#length;
    let rest = value;
    while (rest > 0x7fffffff) {
      bytes[length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    // Nearly all values are small, and 31-bit integers are several times as fast.
    let small = rest | 0;
    while (small > 0x7f) {
      bytes[length++] = (small & 0x7f) | 0x80;
      small >>>= 7;
    }
    bytes[length++] = small;
    this.#length = length;
  }
}

/** @throws Error if the bytes aren't `count` changes */
export function unpackChanges({ count, bytes }: ChangePart): ChangedWallet[] {
  let place = 0;
  const next = (): number => {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = bytes[place++];
      if (byte === undefined) throw new Error('a part of the changes ends too early');
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 128;
    }
  };
  const changes: ChangedWallet[] = [];
  let wallet = 0;
  for (let i = 0; i < count; i++) {
    wallet += next();
    const flags = next();
    const score = next();
    let before: number | undefined;
    if ((flags & WAS_SEEN) !== 0) {
      const gain = next();
      before = score - (gain % 2 === 1 ? -(gain + 1) / 2 : gain / 2);
    }
    const earned = (flags & HAS_EARNED) === 0 ? NONE : Array.from({ length: next() }, next);
    const isGone = (flags & IS_GONE) !== 0;
    changes.push({ wallet, score, before, earned, isGone });
  }
  if (place !== bytes.length) throw new Error('a part of the changes has more than its changes');
  return changes;
}
