import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ContentEncoding } from '#http/negotiation';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

interface Limits {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Compresses bodies off the main thread and caches the results, so a popular page is compressed
 * once for all its readers. Bounded by count and bytes; evicts the least recently used first.
 */
export class Compressor {
  readonly #kept = new Map<string, Buffer>();
  readonly #running = new Map<string, Promise<Buffer>>();
  readonly #limits: Limits;
  #bytes = 0;

  constructor(limits: Limits = { entries: 512, bytes: 16 * 1024 * 1024 }) {
    this.#limits = limits;
  }

  /** Current size of the cache. */
  get held(): { entries: number; bytes: number } {
    return { entries: this.#kept.size, bytes: this.#bytes };
  }

  /**
   * @param key identifies the body: equal keys must mean equal bodies
   * @returns the compressed body, synchronously if cached
   */
  compress(key: string, body: string, encoding: ContentEncoding): Buffer | Promise<Buffer> {
    const name = `${encoding} ${key}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept;
    }
    let running = this.#running.get(name);
    if (running === undefined) {
      running = this.#run(name, body, encoding);
      this.#running.set(name, running);
    }
    return running;
  }

  async #run(name: string, body: string, encoding: ContentEncoding): Promise<Buffer> {
    try {
      const compressed = await (encoding === 'br' ? brotli(body) : gzipAsync(body, { level: 6 }));
      this.#keep(name, compressed);
      return compressed;
    } finally {
      this.#running.delete(name);
    }
  }

  #keep(name: string, compressed: Buffer): void {
    this.#kept.set(name, compressed);
    this.#bytes += compressed.length;
    for (const [oldest, buffer] of this.#kept) {
      if (this.#kept.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= buffer.length;
    }
  }
}

/** Quality 4 is about as fast as gzip 6 and compresses better; the default, 11, is far too slow. */
function brotli(body: string): Promise<Buffer> {
  return brotliAsync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}
