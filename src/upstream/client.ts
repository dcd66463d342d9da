import { JsonClient, type JsonReply } from '#runtime/json-http/client';

/** Many times the largest page of the leaderboard. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Sockets to the upstream; more are no use at a thousand requests a minute. */
const CONNECTIONS = 8;
const KEEP_ALIVE_MS = 30_000;

export interface ClientOptions {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** How long a connection may take to be made. */
  readonly connectMs: number;
}

/** Asks the upstream over HTTP. */
export class Client {
  readonly #options: ClientOptions;
  readonly #client: JsonClient;

  constructor(options: ClientOptions) {
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
   * Gets one resource. Redirects are answers like any other: a source has one address.
   * @param path below `/v1`, with its query
   * @param deadlineMs for all of it, from connecting to the last byte
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

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#client.close();
  }
}
