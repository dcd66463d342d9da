import { RetryableError } from '#core/errors';
import { fieldOf } from '#core/json-field';
import { HttpFailure, JsonClient, type JsonReply } from '#runtime/json-http/client';

/** Many times the longest true answer, which tells of an application. */
const MAX_BYTES = 256 * 1024;
const CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** Discord never asks for longer than this; what is in between does. */
const LONGEST_PAUSE = 3_600;
/** Seconds of a pause that names no length. */
const PAUSE = 10;
const DISCORD = 'https://discord.com/api';

export interface HttpOptions {
  /** Where the REST API is, without its version; Discord's own when undefined. */
  readonly apiUrl: string | undefined;
  /** For a whole request. */
  readonly timeoutMs: number;
  /** Who we are: Discord wants an address. */
  readonly publicUrl: () => string;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
}

export interface DiscordRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the API's version. */
  readonly path: string;
  /** `Bot …` or `Bearer …`. */
  readonly authorization?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as a form, which is all that OAuth2 takes. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface DiscordResponse {
  readonly status: number;
  /** Undefined when the body is empty. */
  readonly json: unknown;
}

/** Asks Discord over HTTP, and nothing while it wants a pause. No error has any part of a token. */
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
   * @returns any answer below 500 but 429
   * @throws RetryableError when there is none, or Discord wants a pause: nothing is asked meanwhile
   */
  async ask(question: DiscordRequest): Promise<DiscordResponse> {
    const rest = this.#pausedUntil - this.#seconds();
    if (rest > 0) throw limited(rest);
    const reply = await this.#send(question).catch(asRetryable);
    const { status } = reply;
    if (status >= 500) throw new RetryableError(`Discord has trouble (${status}).`);
    const json = jsonOf(reply);
    if (status === 429) {
      const seconds = pauseOf(fieldOf(json, 'retry_after') ?? reply.headers['retry-after']);
      this.pause(seconds);
      throw limited(seconds);
    }
    return { status, json };
  }

  /** Asks nothing for so many seconds: Discord bans addresses that it has to refuse too often. */
  pause(seconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#seconds() + seconds);
  }

  #seconds(): number {
    return this.#options.monotonic() / 1000;
  }

  /** Breaks off what is under way. */
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
    // The pages of a proxy in between; the status says enough.
    return reply.status >= 400 ? undefined : asRetryable(error);
  }
}

/** https://discord.com/developers/docs/topics/rate-limits#exceeding-a-rate-limit */
function pauseOf(retryAfter: unknown): number {
  const seconds = Number(retryAfter ?? PAUSE);
  return seconds > 0 ? Math.min(LONGEST_PAUSE, Math.ceil(seconds)) : PAUSE;
}

function limited(retryAfter: number): RetryableError {
  return new RetryableError('Discord limits our requests.', { retryAfter });
}

function asRetryable(error: unknown): never {
  throw error instanceof HttpFailure ? new RetryableError(`Discord ${error.message}.`) : error;
}
