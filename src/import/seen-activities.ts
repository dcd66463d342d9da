import type { ActivityContent } from '#reputation';

/** An id's first ten characters are 50 bits, the rest 30. */
const LEFT = 10;
const BASE = 32;
const FIRST_SLOTS = 1 << 12;

/**
 * Activities seen so far, with a hash of their content, to check an input as a whole before writing
 * anything. 16 bytes per slot, off the heap.
 */
export class SeenActivities {
  #left = new Float64Array(FIRST_SLOTS).fill(-1);
  #right = new Uint32Array(FIRST_SLOTS);
  #content = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  has(id: string): boolean {
    return this.#left[this.#slotOf(leftOf(id), rightOf(id))] !== -1;
  }

  /** Records an activity. @returns false if it was seen before with different content */
  add(id: string, content: ActivityContent): boolean {
    const [left, right, hash] = [leftOf(id), rightOf(id), hashOf(content)];
    const slot = this.#slotOf(left, right);
    if (this.#left[slot] !== -1) return this.#content[slot] === hash;
    this.#set(slot, left, right, hash);
    this.#size += 1;
    if (this.#size * 3 > this.#left.length * 2) this.#grow();
    return true;
  }

  #set(slot: number, left: number, right: number, hash: number): void {
    this.#left[slot] = left;
    this.#right[slot] = right;
    this.#content[slot] = hash;
  }

  /** Its slot, or the free slot where it belongs. */
  #slotOf(left: number, right: number): number {
    const mask = this.#left.length - 1;
    for (let slot = right & mask; ; slot = (slot + 1) & mask) {
      const there = this.#left[slot];
      if (there === -1 || (there === left && this.#right[slot] === right)) return slot;
    }
  }

  #grow(): void {
    const [lefts, rights, contents] = [this.#left, this.#right, this.#content];
    this.#left = new Float64Array(lefts.length * 2).fill(-1);
    this.#right = new Uint32Array(lefts.length * 2);
    this.#content = new Uint32Array(lefts.length * 2);
    for (const [old, left] of lefts.entries()) {
      const right = rights[old] as number;
      if (left !== -1) this.#set(this.#slotOf(left, right), left, right, contents[old] as number);
    }
  }
}

function leftOf(id: string): number {
  return Number.parseInt(id.slice(0, LEFT), BASE);
}

function rightOf(id: string): number {
  return Number.parseInt(id.slice(LEFT), BASE);
}

/** FNV-1a: a collision has a chance of one in four billion. */
function hashOf({ description, points, timestamp, badge }: ActivityContent): number {
  const text = `${points} ${timestamp} ${badge ?? ''} ${description}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
