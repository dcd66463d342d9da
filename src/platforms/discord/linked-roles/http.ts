import { fieldOf, RetryableError } from '#base';
import { HttpFailure, JsonClient, type JsonReply } from '#base/json-http';
import { retryAfterOf } from '#base/waiting';

/** Many times the longest genuine response, an application. */
const MAX_BYTES = 256 * 1024;
const CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** Discord never asks for longer than this; proxies in between do. */
const LONGEST_PAUSE = 3_600;
/** Seconds to pause if the response doesn't say how long. */
const PAUSE = 10;
const DISCORD = 'https://discord.com/api';

export interface HttpOptions {
  /** The REST API, without its version; Discord's own if undefined. */
  readonly apiUrl: string | undefined;
  /** Timeout of a whole request. */
  readonly timeoutMs: number;
  /** Our URL, which Discord requires in the User-Agent. */
  readonly publicUrl: () => string;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

export interface DiscordRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the API version. */
  readonly path: string;
  /** `Bearer …`. */
  readonly authorization?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as a form, as OAuth2 requires. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface DiscordResponse {
  readonly status: number;
  /** Undefined if the body is empty. */
  readonly json: unknown;
}

/**
 * Sends requests with members' tokens to Discord, none while it asks us to pause. Errors never contain any part of a
 * token.
 */
export class DiscordHttp {
  readonly #options: HttpOptions;
  readonly #client = new JsonClient({
    connections: CONNECTIONS,
    connectMs: CONNECT_MS,
    maxBytes: MAX_BYTES,
    addresses: 'any',
  });
  /** Seconds of the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /**
   * @returns any response below 500 except 429
   * @throws RetryableError if there is none, or Discord asks for a pause, during which we send
   *   nothing
   */
  async ask(question: DiscordRequest): Promise<DiscordResponse> {
    const rest = this.#pausedUntil - this.#seconds();
    if (rest > 0) throw limited(rest);
    const reply = await this.#send(question).catch(asRetryable);
    const { status } = reply;
    if (status >= 500) throw new RetryableError(`Discord has an internal error (${status}).`);
    const json = jsonOf(reply);
    if (status === 429) {
      const seconds = pauseOf(fieldOf(json, 'retry_after'), reply.headers['retry-after']);
      this.pause(seconds);
      throw limited(seconds);
    }
    return { status, json };
  }

  /**
   * Pauses all requests for this many seconds: Discord bans IP addresses with many invalid
   * requests.
   */
  pause(seconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#seconds() + seconds);
  }

  #seconds(): number {
    return this.#options.monotonic() / 1000;
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  #send({ method, path, authorization, body, form }: DiscordRequest): Promise<JsonReply> {
    const { apiUrl = DISCORD, timeoutMs, publicUrl } = this.#options;
    return this.#client.send({
      url: `${apiUrl}/v10${path}`,
      method,
      timeoutMs,
      headers: {
        // https://discord.com/developers/docs/reference#user-agent
        'user-agent': `DiscordBot (${publicUrl()}, 1)`,
        ...(authorization !== undefined && { authorization }),
      },
      body,
      form,
    });
  }
}

function jsonOf(reply: JsonReply): unknown {
  if (reply.isEmpty) return undefined;
  try {
    return reply.json();
  } catch (error) {
    // A proxy's error page; the status suffices.
    return reply.status >= 400 ? undefined : asRetryable(error);
  }
}

/**
 * https://discord.com/developers/docs/topics/rate-limits#exceeding-a-rate-limit
 * @param header a proxy's, which may be a date
 */
function pauseOf(told: unknown, header: string | readonly string[] | undefined): number {
  const seconds = Number(told ?? retryAfterOf(header, LONGEST_PAUSE) ?? PAUSE);
  return seconds > 0 ? Math.min(LONGEST_PAUSE, Math.ceil(seconds)) : PAUSE;
}

function limited(retryAfter: number): RetryableError {
  return new RetryableError('Discord is rate-limiting us.', { retryAfter });
}

function asRetryable(error: unknown): never {
  throw error instanceof HttpFailure ? new RetryableError(`Discord ${error.message}.`) : error;
}
