import { JsonClient, type JsonReply } from '#base/json-http';
import type { Urgency } from '#reputation';

/** Many times the largest page of the leaderboard. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Sockets to the upstream; more don't help at a thousand requests per minute. */
const CONNECTIONS = 8;
const KEEP_ALIVE_MS = 30_000;

interface UpstreamClientOptions {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Connect timeout. */
  readonly connectMs: number;
}

/** HTTP client of the upstream. */
export class UpstreamClient {
  readonly #options: UpstreamClientOptions;
  readonly #client: JsonClient;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#client = new JsonClient({
      connections: CONNECTIONS,
      connectMs: options.connectMs,
      keepAliveMs: KEEP_ALIVE_MS,
      maxBytes: MAX_BYTES,
      encodings: ['gzip', 'br'],
      addresses: 'any',
    });
  }

  /**
   * Gets one resource. Doesn't follow redirects: an upstream has one address.
   * @param path below `/v1`, with its query
   * @param deadlineMs for the whole request, from connecting to the last byte
   * @throws HttpFailure
   */
  async get(path: string, etag: string | undefined, deadlineMs: number): Promise<JsonReply> {
    const { baseUrl, apiKey } = this.#options;
    return await this.#client.send({
      url: baseUrl + path,
      timeoutMs: deadlineMs,
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
    });
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Timeouts in milliseconds. */
export interface UpstreamTimeouts {
  /** To connect. */
  readonly connectMs: number;
  /** For the whole request, from connecting to the last byte. */
  readonly requestMs: number;
  /** How long a caller waits if nothing is cached. */
  readonly patienceMs: Readonly<Record<Urgency, number>>;
  /** How long a caller waits if there's stale data to fall back on. */
  readonly shortPatienceMs: number;
}

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 3_000,
  requestMs: 4_000,
  patienceMs: { interactive: 5_000, visitor: 5_000, background: 60_000 },
  shortPatienceMs: 1_500,
};
