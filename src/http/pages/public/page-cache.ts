import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type MaybePromise, SizedCache } from '#base';
import { contentTag } from '#http/negotiation';
import { acceptsGzip, answersConditions } from '#http/pages/static';

const gzipAsync = promisify(gzip);

/** How long pages are cached, here and by clients and proxies, while the data doesn't change. */
const KEPT_SECONDS = 30;
/** Maximum bytes of all cached pages, including their compressed forms. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** Roughly what a page takes besides its bytes. */
const OVERHEAD = 1_000;

/** A rendered page. */
export interface RenderedPage {
  readonly status: 200 | 400 | 404;
  readonly html: string;
  /** Whether newer data may exist. */
  readonly isStale: boolean;
  /** Whether a part is missing for the moment, so that the page must not be cached. */
  readonly isPartial: boolean;
}

/** A page to send. */
export interface CachedPage {
  readonly key: string;
  readonly revision: string;
  readonly status: RenderedPage['status'];
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string | undefined;
  readonly plain: Buffer;
  compressed: Buffer | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly until: number;
}

/**
 * A cache of pages, so that many readers of one page cost as much as one. Limited in bytes; drops the least
 * recently used first.
 */
export class PageCache {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #now: () => number;
  readonly #pages: SizedCache<CachedPage>;
  readonly #running = new Map<string, Promise<CachedPage>>();

  /**
   * @param headers of every page
   * @param now monotonic milliseconds
   * @param most maximum bytes
   */
  constructor(
    headers: Readonly<Record<string, string>>,
    now: () => number,
    most: number = KEPT_BYTES,
  ) {
    this.#headers = headers;
    this.#now = now;
    this.#pages = new SizedCache(most);
  }

  /**
   * The cached page, or a new one, which concurrent requests for it share.
   * @param revision of the data; pages of another revision aren't used
   */
  get(
    key: string,
    revision: string,
    make: () => MaybePromise<RenderedPage>,
  ): MaybePromise<CachedPage> {
    const kept = this.#pages.get(key);
    if (kept?.revision === revision && this.#now() < kept.until) return kept;
    const name = `${revision} ${key}`;
    let running = this.#running.get(name);
    if (running === undefined) {
      running = this.#make(key, revision, make).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
    return running;
  }

  async #make(
    key: string,
    revision: string,
    make: () => MaybePromise<RenderedPage>,
  ): Promise<CachedPage> {
    const { status, html, isStale, isPartial } = await make();
    const plain = Buffer.from(html);
    const isWhole = status === 200 && !isPartial;
    const etag = isWhole ? contentTag(plain) : undefined;
    const page: CachedPage = {
      ...{ key, revision, status, plain },
      headers: {
        ...this.#headers,
        'Cache-Control': isWhole
          ? `public, max-age=${KEPT_SECONDS}, stale-while-revalidate=60`
          : 'no-store',
        'Reputation-Status': isStale ? 'stale' : 'fresh',
        ...(etag !== undefined && { ETag: etag }),
      },
      etag,
      compressed: undefined,
      until: this.#now() + KEPT_SECONDS * 1000,
    };
    if (isWhole) this.#pages.set(key, page, sizeOf(page));
    return page;
  }

  /** Sends a page, or what the request's conditions ask for in its place. */
  send(request: FastifyRequest, reply: FastifyReply, page: CachedPage): MaybePromise<void> {
    const { etag, headers } = page;
    if (etag !== undefined && answersConditions(request, reply, { etag, headers })) return;
    reply.code(page.status).headers(headers);
    if (!acceptsGzip(request)) reply.send(page.plain);
    else if (page.compressed !== undefined) sendGzip(reply, page.compressed);
    else return this.#compress(page).then((compressed) => sendGzip(reply, compressed));
  }

  /** Off the main thread. */
  async #compress(page: CachedPage): Promise<Buffer> {
    const compressed = await gzipAsync(page.plain, { level: 6 });
    // Another request may have been faster.
    if (page.compressed !== undefined) return page.compressed;
    page.compressed = compressed;
    if (this.#pages.get(page.key) === page) this.#pages.set(page.key, page, sizeOf(page));
    return compressed;
  }
}

function sendGzip(reply: FastifyReply, compressed: Buffer): void {
  reply.header('Content-Encoding', 'gzip').send(compressed);
}

function sizeOf({ plain, compressed, key }: CachedPage): number {
  return OVERHEAD + key.length * 2 + plain.length + (compressed?.length ?? 0);
}
