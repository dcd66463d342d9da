import { Agent, request } from 'undici';
import { RetryableError } from '#core/errors';

/** Many times the longest true answer, which tells of an application. */
const MOST_BYTES = 256 * 1024;
/** Discord never asks for longer than this; what is in between does. */
const LONGEST_PAUSE = 3_600;
/** Seconds of a pause that names no length. */
const PAUSE = 10;
/** Codes of Node and undici are fixed words, which can't hold a part of the request. */
const ERROR_CODE = /^[A-Z][A-Z_]{2,39}$/;
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

export interface Question {
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

export interface Reply {
  readonly status: number;
  /** Undefined when the body is empty. */
  readonly json: unknown;
}

interface Answer extends Reply {
  /** As the header says it. */
  readonly retryAfter: unknown;
}

/** What goes wrong on our side of a connection that works. */
class Unacceptable extends Error {}

/**
 * Asks Discord over HTTP, within a deadline and a size. Requests carry tokens, so no error has any
 * part of one: what the network says of a failure is left out, cause and all.
 */
export class DiscordHttp {
  readonly #options: HttpOptions;
  readonly #agent = new Agent({ connections: 4, connect: { timeout: 5_000 } });
  readonly #closed = new AbortController();
  /** Seconds of the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /**
   * @returns any answer below 500 but 429
   * @throws RetryableError when there is none, or Discord wants a pause: nothing is asked meanwhile
   */
  async ask(question: Question): Promise<Reply> {
    const rest = this.#pausedUntil - this.#seconds();
    if (rest > 0) throw limited(rest);
    const reply = await this.#send(question).catch(reasonOf);
    if (typeof reply === 'string') throw new RetryableError(`Discord ${reply}.`);
    if (reply.status === 429) {
      const seconds = pauseOf(fieldOf(reply.json, 'retry_after') ?? reply.retryAfter);
      this.pause(seconds);
      throw limited(seconds);
    }
    if (reply.status >= 500) throw new RetryableError(`Discord has trouble (${reply.status}).`);
    return reply;
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
    this.#closed.abort();
    await this.#agent.destroy();
  }

  async #send({ method, path, authorization, body, form }: Question): Promise<Answer> {
    const { apiUrl = DISCORD, timeoutMs, publicUrl } = this.#options;
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(timeoutMs)]);
    const response = await request(`${apiUrl}/v10${path}`, {
      method,
      dispatcher: this.#agent,
      signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      headers: {
        accept: 'application/json',
        // So that the bytes which are counted are all that there are.
        'accept-encoding': 'identity',
        // https://discord.com/developers/docs/reference#user-agent
        'user-agent': `DiscordBot (${publicUrl()}, 1)`,
        ...(authorization !== undefined && { authorization }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // A body that breaks off says so here too, where nobody may be reading any more.
    response.body.on('error', () => {});
    const text = await textOf(response.body);
    return {
      status: response.statusCode,
      json: jsonOf(text, response.statusCode),
      retryAfter: response.headers['retry-after'],
    };
  }
}

async function textOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new Unacceptable('sends more than it should');
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string, status: number): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // The pages of a proxy in between; the status says enough.
    if (status >= 400) return undefined;
    throw new Unacceptable('sent something that is not JSON', { cause: error });
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

function reasonOf(error: unknown): string {
  if (error instanceof Unacceptable) return error.message;
  if (error instanceof Error && /Timeout/.test(error.name)) return 'took too long to answer';
  const code = fieldOf(error, 'code');
  const isWord = typeof code === 'string' && ERROR_CODE.test(code);
  return isWord ? `could not be asked (${code})` : 'could not be asked';
}

/** A field of what may be anything. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
