interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * A cache of pictures, limited in bytes; drops those that weren't used for longest, roughly. It copies them
 * into one piece of memory, around and around: buffers of their own, dropped when they're old, would have V8
 * collect the whole heap every few seconds, and requests wait for that.
 */
export class PictureCache {
  /** In the order in which they were written, so from where the next one goes and around. */
  readonly #places = new Map<string, Place>();
  readonly #mostBytes: number;
  #memory: Uint8Array | undefined;
  #next = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** A copy of a picture. */
  get(key: string): Uint8Array | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const picture = this.#memory?.slice(place.start, place.end);
    // Write it again before others reach it, but not with each use: that would drive out all others.
    const age = (this.#next - place.start + this.#mostBytes) % this.#mostBytes;
    if (picture !== undefined && age > this.#mostBytes / 2) this.set(key, picture);
    return picture;
  }

  /** Caches a copy of a picture, unless it's larger than all of the cache. */
  set(key: string, picture: Uint8Array): void {
    this.#places.delete(key);
    const { length } = picture;
    if (length > this.#mostBytes) return;
    // The system only provides what has been written to.
    this.#memory ??= new Uint8Array(this.#mostBytes);
    if (this.#next + length > this.#mostBytes) {
      this.#dropUntil(this.#mostBytes);
      this.#next = 0;
    }
    this.#dropUntil(this.#next + length);
    this.#memory.set(picture, this.#next);
    this.#places.set(key, { start: this.#next, end: this.#next + length });
    this.#next += length;
  }

  /** Drops the pictures from where the next one goes up to an end. */
  #dropUntil(end: number): void {
    for (const [key, { start }] of this.#places) {
      if (start < this.#next || start >= end) return;
      this.#places.delete(key);
    }
  }
}
