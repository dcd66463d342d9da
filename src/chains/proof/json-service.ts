import { Agent, request } from 'undici';
import { RetryableError, UserError } from '#core/errors';

/** Many times the longest true answer: the code of a contract, an account without its assets. */
const MOST_BYTES = 1024 * 1024;
const CONNECTIONS = 8;
/** What a kept connection that the server has just closed looks like. */
const BROKEN = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** Codes of Node and undici are fixed words, which can't hold a part of the URL. */
const ERROR_CODE = /^[A-Z][A-Z_]{2,39}$/;

export interface JsonReply {
  readonly status: number;
  readonly json: unknown;
}

export interface JsonQuestion {
  /** Added to the path of the service's URL. */
  readonly path?: string;
  /** Added to its query. */
  readonly query?: Readonly<Record<string, string>>;
  /** Sent by POST. */
  readonly body?: unknown;
}

/** What goes wrong on our side of a connection that works. */
class Unacceptable extends Error {}

/**
 * A service that answers in JSON over HTTP, asked within a deadline and a size. Redirects are not
 * followed. Its URL often holds a key, so no error has any part of it: what the network says of a
 * failure is left out, cause and all.
 */
export class JsonService {
  readonly #name: string;
  readonly #url: URL;
  readonly #authorization: string | undefined;
  readonly #timeoutMs: number;
  readonly #agent: Agent;

  /**
   * @param name such as `Ethereum node`, for messages
   * @param url with `http:` or `https:`; a name and a password in it are sent as basic authentication
   * @param timeoutMs for a whole question
   * @throws UserError `wrong-configuration`
   */
  constructor(name: string, url: string, timeoutMs: number) {
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
      throw new UserError('wrong-configuration', `The URL of the ${name} is no http(s) URL.`);
    }
    this.#name = name;
    this.#authorization = authorizationIn(parsed, name);
    parsed.username = '';
    parsed.password = '';
    this.#url = parsed;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      connect: { timeout: timeoutMs },
      maxHeaderSize: 16_384,
    });
  }

  /** @throws RetryableError when there is no whole answer in JSON in time */
  async ask(question: JsonQuestion): Promise<JsonReply> {
    const reply = await this.#send(question).catch(reasonOf);
    if (typeof reply === 'string') throw this.failure(reply);
    return reply;
  }

  /** @param reason follows the name of the service: `sent something else` */
  failure(reason: string): RetryableError {
    return new RetryableError(`The ${this.#name} ${reason}. Try again later.`, { retryAfter: 30 });
  }

  async #send(question: JsonQuestion): Promise<JsonReply> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#sendOnce(question, signal);
    } catch (error) {
      if (signal.aborted || !BROKEN.has(codeOf(error) ?? '')) throw error;
      return await this.#sendOnce(question, signal);
    }
  }

  async #sendOnce({ path, query, body }: JsonQuestion, signal: AbortSignal): Promise<JsonReply> {
    const url = new URL(this.#url);
    if (path !== undefined) url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const response = await request(url, {
      dispatcher: this.#agent,
      signal,
      headersTimeout: this.#timeoutMs,
      bodyTimeout: this.#timeoutMs,
      headers: {
        accept: 'application/json',
        // So that the bytes which are counted are all that there are.
        'accept-encoding': 'identity',
        'user-agent': 'fathom',
        ...(this.#authorization !== undefined && { authorization: this.#authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    // A body that breaks off says so here too, where nobody may be reading any more.
    response.body.on('error', () => {});
    return { status: response.statusCode, json: await jsonOf(response.body) };
  }
}

async function jsonOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<unknown> {
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
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new Unacceptable('sent something that is not JSON', { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Unacceptable) return error.message;
  if (error instanceof Error && /Timeout/.test(error.name)) return 'took too long to answer';
  const code = codeOf(error);
  return code === undefined ? 'could not be asked' : `could not be asked (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = fieldOf(error, 'code');
  return typeof code === 'string' && ERROR_CODE.test(code) ? code : undefined;
}

function authorizationIn({ username, password }: URL, name: string): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    // Not the cause: it has the password.
  }
  throw new UserError(
    'wrong-configuration',
    `The password in the URL of the ${name} is unreadable.`,
  );
}

/** A field of what may be anything. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
