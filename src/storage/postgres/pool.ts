import pg from 'pg';
import { errorCodeOf, TOO_MANY_CONNECTIONS } from './errors.ts';

const IDLE_MS = 30_000;
/** How long a pool opens no connections after the server ran out of them. */
const CROWDED_MS = 1_000;

/** pg-pool's message when no connection became free within `connectionTimeoutMillis`. */
const QUEUED_IN_VAIN = 'timeout exceeded when trying to connect';

/**
 * A pool that makes do with its connections when the server has none left: instead of failing, a
 * query waits for one of them, as it does when all are in use. After a second the pool tries to
 * grow again.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #most: number;
  #established = 0;
  readonly #waitMs: number;
  /** While it opens no connections: why, and until when. */
  #crowded: { readonly error: unknown; readonly timer: NodeJS.Timeout } | undefined;

  /**
   * @param config its `connectionTimeoutMillis` also limits the wait for a connection in use
   * @param most connections; further queries wait for one of these
   */
  constructor(config: pg.PoolConfig, most: number) {
    this.#most = most;
    this.#waitMs = config.connectionTimeoutMillis ?? 0;
    this.#pool = new pg.Pool({ ...config, max: most, idleTimeoutMillis: IDLE_MS });
    this.#pool.on('connect', (client) => {
      this.#established += 1;
      // Without a listener, a connection that breaks in use would end the process; its user gets
      // the error, too.
      client.on('error', () => {});
    });
    this.#pool.on('remove', () => {
      this.#established -= 1;
    });
  }

  /** @param tell called for idle connections that break */
  onIdleError(tell: (error: Error) => void): void {
    this.#pool.on('error', tell);
  }

  query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#patiently(() => this.#pool.query(query));
  }

  connect(): Promise<pg.PoolClient> {
    return this.#patiently(() => this.#pool.connect());
  }

  end(): Promise<void> {
    clearTimeout(this.#crowded?.timer);
    return this.#pool.end();
  }

  /** @param work what needs a connection first; retried if there was none */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (const until = performance.now() + this.#waitMs; ; ) {
      try {
        return await work();
      } catch (error) {
        if (errorCodeOf(error) === TOO_MANY_CONNECTIONS && this.#established > 0) {
          this.#keepToEstablished(error);
          if (performance.now() < until) continue;
        }
        // The timeout isn't the server's answer: the server said that it has no connections left.
        const isQueued = error instanceof Error && error.message === QUEUED_IN_VAIN;
        throw isQueued && this.#crowded !== undefined ? this.#crowded.error : error;
      }
    }
  }

  #keepToEstablished(error: unknown): void {
    clearTimeout(this.#crowded?.timer);
    this.#pool.options.max = Math.max(1, this.#established);
    const timer = setTimeout(() => this.#grow(), CROWDED_MS).unref();
    this.#crowded = { error, timer };
  }

  #grow(): void {
    this.#pool.options.max = this.#most;
    if (this.#pool.waitingCount === 0) {
      this.#crowded = undefined;
      return;
    }
    // Otherwise nothing would serve the waiting queries before a connection is released.
    this.#pool.connect().then(
      (client) => {
        this.#crowded = undefined;
        client.release();
      },
      (error: unknown) => this.#keepToEstablished(error),
    );
  }
}
