import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Headers } from './hints.ts';

/** Of a decoded body: many times the largest page of the leaderboard. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Sockets to the upstream; more are no use at a thousand requests a minute. */
const CONNECTIONS = 8;

export interface ClientOptions {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** How long a connection may take to be made. */
  readonly connectMs: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Asks the upstream over HTTP: one request, one answer, within a deadline and a size. */
export class Client {
  readonly #options: ClientOptions;
  readonly #agent: Agent;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      pipelining: 1,
      connect: { timeout: options.connectMs },
      maxHeaderSize: 16_384,
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: 60_000,
    });
  }

  /**
   * Gets one resource. Redirects are answers like any other: a source has one address.
   * @param path below `/v1`, with its query
   * @param deadlineMs for all of it, from connecting to the last byte
   * @throws whatever went wrong; no message of it has the key
   */
  async get(path: string, etag: string | undefined, deadlineMs: number): Promise<Reply> {
    const { baseUrl, apiKey } = this.#options;
    const signal = AbortSignal.timeout(deadlineMs);
    const { statusCode, headers, body } = await request(baseUrl + path, {
      dispatcher: this.#agent,
      signal,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip, br',
        'user-agent': 'fathom',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
    });
    // A body that breaks off says so here too, where nobody may be reading any more.
    body.on('error', () => {});
    return { status: statusCode, headers, text: await textOf(body, headers['content-encoding']) };
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

async function textOf(body: Readable, encoding: string | string[] | undefined): Promise<string> {
  const decoded = decode(body, encoding);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new Error(`the body has more than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
  } finally {
    // Neither a bomb nor a slow rest is read to its end.
    body.destroy();
    decoded.destroy();
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

function decode(body: Readable, encoding: string | string[] | undefined): Readable {
  const name = String(encoding ?? 'identity').toLowerCase();
  if (name === 'identity' || name === '') return body;
  const decoder =
    name === 'gzip' || name === 'x-gzip'
      ? createGunzip()
      : name === 'br'
        ? createBrotliDecompress()
        : undefined;
  if (decoder === undefined) throw new Error(`the body has an encoding that was not asked for`);
  body.on('error', (error) => decoder.destroy(error));
  return body.pipe(decoder);
}
