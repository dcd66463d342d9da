/** A response that can be revalidated. */
export interface Kept {
  readonly etag: string;
  readonly body: string;
  readonly headers: Headers;
}

/** Limits of the cache. */
export interface CacheLimits {
  readonly entries: number;
  /** Total number of characters. */
  readonly characters: number;
}

/** Response bodies with their ETags, by URL; drops the least recently used first. */
export class EtagCache {
  readonly #kept = new Map<string, Kept>();
  readonly #limits: CacheLimits;
  #characters = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Hold it while it's revalidated: others may take its place meanwhile. */
  of(url: string): Kept | undefined {
    return this.#kept.get(url);
  }

  /** A held response, updated with the headers of a 304. */
  revalidated(url: string, kept: Kept, notModified: Response): Response {
    if (this.#kept.get(url) === kept) {
      this.#kept.delete(url);
      this.#kept.set(url, kept);
    }
    const headers = new Headers(kept.headers);
    for (const [name, value] of notModified.headers) headers.set(name, value);
    return new Response(kept.body, { status: 200, headers });
  }

  /** Stores the body of a 200 if it has an ETag. */
  keep(url: string, headers: Headers, body: string): void {
    const etag = headers.get('etag');
    if (etag === null) return;
    this.#remove(url);
    this.#kept.set(url, { etag, body, headers });
    this.#characters += body.length;
    for (const oldest of this.#kept.keys()) {
      const { entries, characters } = this.#limits;
      if (this.#kept.size <= entries && this.#characters <= characters) break;
      this.#remove(oldest);
    }
  }

  #remove(url: string): void {
    this.#characters -= this.#kept.get(url)?.body.length ?? 0;
    this.#kept.delete(url);
  }
}
