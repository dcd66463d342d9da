/** A cache of pictures, limited in bytes; drops the least recently used first. */
export class PictureCache {
  readonly #pictures = new Map<string, Uint8Array>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Uint8Array | undefined {
    const found = this.#pictures.get(key);
    if (found === undefined) return undefined;
    // Move it to the end, as the most recently used.
    this.#pictures.delete(key);
    this.#pictures.set(key, found);
    return found;
  }

  set(key: string, picture: Uint8Array): void {
    this.#drop(key);
    this.#pictures.set(key, picture);
    this.#bytes += picture.byteLength;
    for (const oldest of this.#pictures.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#pictures.get(key)?.byteLength ?? 0;
    this.#pictures.delete(key);
  }
}
