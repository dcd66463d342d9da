import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { SizedCache } from '#base';
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
  readonly #kept: SizedCache<Buffer>;
  readonly #running = new Map<string, Promise<Buffer>>();
  constructor({ entries, bytes }: Limits = { entries: 512, bytes: 16 * 1024 * 1024 }) {
    this.#kept = new SizedCache(bytes, entries);
  }

  /** Current size of the cache. */
  get held(): { entries: number; bytes: number } {
    return this.#kept.held;
  }

  /**
   * @param key identifies the body: equal keys must mean equal bodies
   * @returns the compressed body, synchronously if cached
   */
  compress(
    key: string,
    body: string | Buffer,
    encoding: ContentEncoding,
  ): Buffer | Promise<Buffer> {
    const name = `${encoding} ${key}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    let running = this.#running.get(name);
    if (running === undefined) {
      running = this.#run(name, body, encoding);
      this.#running.set(name, running);
    }
    return running;
  }

  async #run(name: string, body: string | Buffer, encoding: ContentEncoding): Promise<Buffer> {
    try {
      const compressed = await (encoding === 'br' ? brotli(body) : gzipAsync(body, { level: 6 }));
      this.#kept.set(name, compressed, compressed.length);
      return compressed;
    } finally {
      this.#running.delete(name);
    }
  }
}

/** Quality 4 is about as fast as gzip 6 and compresses better; the default, 11, is far too slow. */
function brotli(body: string | Buffer): Promise<Buffer> {
  return brotliAsync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}
