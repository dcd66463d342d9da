const DIGIT_BITS = 16;
const DIGIT = 1 << DIGIT_BITS;

/**
 * Sorts by descending score, stably. A radix sort, because comparing ten million members twenty
 * times each would take longer than the rest of the start.
 * @param scores non-negative integers, in the desired order of equal ones
 * @returns indexes into `scores`
 */
export function sortByScore(scores: Float64Array): Uint32Array {
  const size = scores.length;
  let highest = 0;
  for (let i = 0; i < size; i++) highest = Math.max(highest, scores[i] as number);
  let from = new Uint32Array(size);
  for (let i = 0; i < size; i++) from[i] = i;
  let to = new Uint32Array(size);
  const digits = new Uint16Array(size);
  // Least significant digit first: each pass preserves the order of the previous ones.
  for (let unit = 1; unit <= highest; unit *= DIGIT) {
    const places = new Uint32Array(DIGIT + 1);
    for (let i = 0; i < size; i++) {
      const score = scores[from[i] as number] as number;
      const digit = Math.floor((highest - score) / unit) & (DIGIT - 1);
      digits[i] = digit;
      places[digit + 1] = (places[digit + 1] as number) + 1;
    }
    for (let i = 1; i <= DIGIT; i++) places[i] = (places[i] as number) + (places[i - 1] as number);
    for (let i = 0; i < size; i++) {
      const digit = digits[i] as number;
      const place = places[digit] as number;
      to[place] = from[i] as number;
      places[digit] = place + 1;
    }
    [from, to] = [to, from];
  }
  return from;
}

const BLOCK_SIZE = 512;
/** Fill level of blocks in a bulk build: leaves room for changes without splits. */
const BUILD_FILL = 400;
/** A block that shrinks below this is merged with a neighbour. */
const JOIN_BELOW = BLOCK_SIZE / 4;

/** Answers cached until the next change; scores repeat, so a few serve most queries. */
const REMEMBERED = 50_000;

/**
 * Compares two members: negative if `a` comes first. Must be a strict order, never 0 for two
 * members.
 */
export type Order = (a: number, b: number) => number;

/**
 * Members (positive integers) in order, in counted blocks: the rank of a member or score and the
 * member at a position take two short searches, whatever the size, and a change moves at most one
 * block's members. Scores are read from outside and mustn't change for current members.
 */
export class Ranking {
  readonly #order: Order;
  readonly #score: (member: number) => number;
  #blocks: Uint32Array[] = [];
  #counts: number[] = [];
  /** Score of each block's first member, contiguous, so that searches stay in the CPU cache. */
  #firstScores: number[] = [];
  /** Members before each block; valid only below `#settled`. */
  #starts: number[] = [];
  #settled = 0;
  #size = 0;
  readonly #higher = new Map<number, number>();

  constructor(order: Order, score: (member: number) => number) {
    this.#order = order;
    this.#score = score;
  }

  get size(): number {
    return this.#size;
  }

  /** Replaces all members by `members`, which must be in order. */
  build(members: Uint32Array): void {
    this.#blocks = [];
    this.#counts = [];
    this.#firstScores = [];
    this.#settled = 0;
    this.#higher.clear();
    this.#size = members.length;
    for (let from = 0; from < members.length; from += BUILD_FILL) {
      const part = members.subarray(from, from + BUILD_FILL);
      const block = new Uint32Array(BLOCK_SIZE);
      block.set(part);
      this.#blocks.push(block);
      this.#counts.push(part.length);
      this.#firstScores.push(this.#score(part[0] as number));
    }
  }

  insert(member: number): void {
    this.#forget();
    this.#size++;
    if (this.#blocks.length === 0) {
      this.#blocks.push(new Uint32Array(BLOCK_SIZE));
      this.#counts.push(0);
      this.#firstScores.push(0);
    }
    let at = this.#blockOf(member);
    if (this.#counts[at] === BLOCK_SIZE) {
      this.#split(at);
      if (this.#order((this.#blocks[at + 1] as Uint32Array)[0] as number, member) < 0) at++;
    }
    const block = this.#blocks[at] as Uint32Array;
    const count = this.#counts[at] as number;
    const place = this.#placeIn(block, count, member);
    block.copyWithin(place + 1, place, count);
    block[place] = member;
    this.#counts[at] = count + 1;
    if (place === 0) this.#firstScores[at] = this.#score(member);
    this.#unsettle(at + 1);
  }

  /** Removes a member, which must be present. */
  remove(member: number): void {
    const at = this.#blockOf(member);
    const block = this.#blocks[at];
    const count = this.#counts[at] ?? 0;
    // A linear scan of 2 KB is faster than a search that must read other members' scores.
    const place = block === undefined ? -1 : block.indexOf(member);
    if (block === undefined || place < 0 || place >= count) {
      throw new Error(`member ${member} is not in the ranking`);
    }
    this.#forget();
    this.#size--;
    block.copyWithin(place, place + 1, count);
    this.#counts[at] = count - 1;
    this.#unsettle(at + 1);
    if (count === 1) this.#drop(at);
    else {
      if (place === 0) this.#firstScores[at] = this.#score(block[0] as number);
      if (count - 1 < JOIN_BELOW) this.#join(at);
    }
  }

  /** How many members have a higher score. */
  countHigher(score: number): number {
    const known = this.#higher.get(score);
    if (known !== undefined) return known;
    const count = this.#searchHigher(score);
    if (this.#higher.size >= REMEMBERED) this.#higher.clear();
    this.#higher.set(score, count);
    return count;
  }

  #searchHigher(score: number): number {
    const firsts = this.#firstScores;
    let low = 0;
    let high = firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((firsts[middle] as number) > score) low = middle + 1;
      else high = middle;
    }
    // Only the last block that starts above the score can end below it.
    const at = low - 1;
    if (at < 0) return 0;
    const block = this.#blocks[at] as Uint32Array;
    low = 1;
    high = this.#counts[at] as number;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#score(block[middle] as number) > score) low = middle + 1;
      else high = middle;
    }
    return this.#start(at) + low;
  }

  /** The members at positions `offset` to `offset + limit`, fewer at the end. */
  slice(offset: number, limit: number): number[] {
    const members: number[] = [];
    if (offset >= this.#size) return members;
    let at = this.#blockAt(offset);
    let place = offset - this.#start(at);
    while (members.length < limit && at < this.#blocks.length) {
      const block = this.#blocks[at] as Uint32Array;
      const count = this.#counts[at] as number;
      while (place < count && members.length < limit) members.push(block[place++] as number);
      at++;
      place = 0;
    }
    return members;
  }

  /** The last block that doesn't start after the member; the first one if all do. */
  #blockOf(member: number): number {
    const score = this.#score(member);
    const firsts = this.#firstScores;
    let low = 1;
    let high = firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const first = firsts[middle] as number;
      // Only equal scores require the blocks' members, which are scattered in memory.
      const isBehind =
        first === score
          ? this.#order((this.#blocks[middle] as Uint32Array)[0] as number, member) > 0
          : first < score;
      if (isBehind) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  /** The index in the block where the member is, or would be. */
  #placeIn(block: Uint32Array, count: number, member: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = block[middle] as number;
      if (this.#order(other, member) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #forget(): void {
    // Clearing has a cost even if it's empty, and changes arrive by the thousand.
    if (this.#higher.size > 0) this.#higher.clear();
  }

  #blockAt(position: number): number {
    this.#settle(this.#blocks.length);
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #start(at: number): number {
    if (at >= this.#settled) this.#settle(at + 1);
    return this.#starts[at] as number;
  }

  #unsettle(from: number): void {
    if (from < this.#settled) this.#settled = from;
  }

  #settle(until: number): void {
    let at = this.#settled;
    let start = at === 0 ? 0 : (this.#starts[at - 1] as number) + (this.#counts[at - 1] as number);
    for (; at < until; at++) {
      this.#starts[at] = start;
      start += this.#counts[at] as number;
    }
    if (until > this.#settled) this.#settled = until;
  }

  #split(at: number): void {
    const block = this.#blocks[at] as Uint32Array;
    const half = BLOCK_SIZE / 2;
    const upper = new Uint32Array(BLOCK_SIZE);
    upper.set(block.subarray(half));
    this.#counts[at] = half;
    this.#blocks.splice(at + 1, 0, upper);
    this.#counts.splice(at + 1, 0, BLOCK_SIZE - half);
    this.#firstScores.splice(at + 1, 0, this.#score(upper[0] as number));
    this.#unsettle(at + 1);
  }

  #join(at: number): void {
    const left = at > 0 ? at - 1 : at;
    const leftCount = this.#counts[left] as number;
    const rightCount = this.#counts[left + 1];
    // Merging into a nearly full block would make the next insert split it again.
    if (rightCount === undefined || leftCount + rightCount > BUILD_FILL) return;
    const right = this.#blocks[left + 1] as Uint32Array;
    (this.#blocks[left] as Uint32Array).set(right.subarray(0, rightCount), leftCount);
    this.#counts[left] = leftCount + rightCount;
    this.#drop(left + 1);
  }

  #drop(at: number): void {
    this.#blocks.splice(at, 1);
    this.#counts.splice(at, 1);
    this.#firstScores.splice(at, 1);
    this.#unsettle(at);
  }
}
