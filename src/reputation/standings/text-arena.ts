const SEGMENT_BITS = 22;
const SEGMENT_SIZE = 1 << SEGMENT_BITS;
const SEGMENT_MASK = SEGMENT_SIZE - 1;
const HIGHEST_HANDLE = 0xffff_ffff;
/** The first segment begins with this and doubles when full: few texts shouldn't take a whole one. */
const FIRST_SIZE = 1 << 14;

/**
 * Terminates every text: smaller than any character in a text, so that comparing needs no lengths.
 */
export const TEXT_END = 0x0a;

/** The bit that differs between lower and upper case. */
const CASE = 0x20;

const CACHE_LINE = 64;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Short texts in large byte segments: a million strings would cost a million objects, which each
 * garbage collection must traverse. A text never changes and is never freed; replacing one leaks
 * the old bytes, which is fine for addresses and rare for names. Texts have no control characters.
 */
export class TextArena {
  readonly #segments: Uint8Array[] = [];
  /** Starts at 1, so that a handle of 0 can mean "no text". */
  #end = 1;

  /** Stores `text` and returns its handle (a positive integer). */
  put(text: string): number {
    return this.putAll(encoder.encode(`${text}\n`));
  }

  /**
   * Stores many texts at once.
   * @param bytes texts in UTF-8, each followed by TEXT_END; large arrays are kept as they are, so
   * don't modify them afterwards
   * @returns the first one's handle; the handle of the text at byte n is this + n
   */
  putAll(bytes: Uint8Array): number {
    if (bytes.length > SEGMENT_SIZE) throw new RangeError('too much text at once for the arena');
    if (bytes.length > SEGMENT_SIZE / 2) return this.#adopt(bytes);
    const full = (this.#end & SEGMENT_MASK) + bytes.length > SEGMENT_SIZE;
    if (full) this.#end = this.#segments.length * SEGMENT_SIZE;
    if (this.#end + bytes.length > HIGHEST_HANDLE)
      throw new RangeError('the arena is full (4 GiB)');
    const index = this.#end >>> SEGMENT_BITS;
    if (index === this.#segments.length) {
      this.#segments.push(new Uint8Array(index === 0 ? FIRST_SIZE : SEGMENT_SIZE));
    }
    const handle = this.#end;
    const at = handle & SEGMENT_MASK;
    this.#roomIn(index, at + bytes.length).set(bytes, at);
    this.#end += bytes.length;
    return handle;
  }

  /** The segment, enlarged if it's shorter than `size`. */
  #roomIn(index: number, size: number): Uint8Array {
    const segment = this.#segments[index] as Uint8Array;
    if (size <= segment.length) return segment;
    let length = segment.length;
    while (length < size) length *= 2;
    const larger = new Uint8Array(length);
    larger.set(segment);
    this.#segments[index] = larger;
    return larger;
  }

  #adopt(bytes: Uint8Array): number {
    // A handle of 0 means "no text".
    if (this.#segments.length === 0) this.#segments.push(new Uint8Array(0));
    const handle = this.#segments.length * SEGMENT_SIZE;
    if (handle + SEGMENT_SIZE > HIGHEST_HANDLE) throw new RangeError('the arena is full (4 GiB)');
    this.#segments.push(bytes);
    // Nothing is appended to it: the next text starts a new segment.
    this.#end = handle + SEGMENT_SIZE;
    return handle;
  }

  /** Reads the first byte of a text and one of the next cache line, to prefetch them. */
  touch(handle: number): number {
    const segment = this.#segment(handle);
    const at = handle & SEGMENT_MASK;
    return (segment[at] ?? 0) + (segment[at + CACHE_LINE] ?? 0);
  }

  get(handle: number): string {
    const segment = this.#segment(handle);
    const from = handle & SEGMENT_MASK;
    return decoder.decode(segment.subarray(from, segment.indexOf(TEXT_END, from)));
  }

  /**
   * Whether the text with this handle is the first `length` of some bytes.
   * @param inAnyCase whether to ignore case; the text must then consist of letters and digits
   */
  equals(handle: number, bytes: Uint8Array, length: number, inAnyCase: boolean): boolean {
    const segment = this.#segment(handle);
    const allowed = inAnyCase ? CASE : 0;
    let at = handle & SEGMENT_MASK;
    for (let i = 0; i < length; i++) {
      if ((((segment[at++] as number) ^ (bytes[i] as number)) & ~allowed) !== 0) return false;
    }
    return segment[at] === TEXT_END;
  }

  /** Compares two texts by their bytes, which for ASCII is character order. */
  compare(a: number, b: number): number {
    const left = this.#segment(a);
    const right = this.#segment(b);
    let i = a & SEGMENT_MASK;
    let j = b & SEGMENT_MASK;
    for (;;) {
      const byte = left[i++] as number;
      const difference = byte - (right[j++] as number);
      if (difference !== 0 || byte === TEXT_END) return difference;
    }
  }

  #segment(handle: number): Uint8Array {
    return this.#segments[handle >>> SEGMENT_BITS] as Uint8Array;
  }
}
