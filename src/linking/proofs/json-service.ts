import {
  fieldOf,
  newRpcIds,
  RetryableError,
  rpcErrorOf,
  rpcIdOf,
  rpcRequest,
  UserError,
} from '#base';
import { HttpFailure, JsonClient } from '#base/json-http';

/** Many times the longest valid response: a contract's code, an account without its assets. */
const MAX_BYTES = 1024 * 1024;
const CONNECTIONS = 8;

interface JsonAnswer {
  readonly status: number;
  readonly json: unknown;
}

export interface JsonQuestion {
  /** Appended to the path of the service's URL. */
  readonly path?: string;
  /** Added to its query; a list adds the parameter several times. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent by POST. */
  readonly body?: unknown;
}

/**
 * A chain's service at a URL that the operator configured. The URL often contains a key, so errors
 * never include any part of it.
 */
export class JsonService {
  readonly #name: string;
  readonly #url: URL;
  readonly #authorization: string | undefined;
  readonly #timeoutMs: number;
  readonly #client: JsonClient;

  /**
   * @param name such as `Ethereum node`, for messages
   * @param url with `http:` or `https:`; credentials in it are sent as basic authentication
   * @param timeoutMs for a whole request
   * @throws UserError `wrong-configuration`
   */
  constructor(name: string, url: string, timeoutMs: number) {
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
      throw new UserError('wrong-configuration', `The URL of the ${name} isn't an http(s) URL.`);
    }
    this.#name = name;
    this.#authorization = authorizationIn(parsed, name);
    parsed.username = '';
    parsed.password = '';
    this.#url = parsed;
    this.#timeoutMs = timeoutMs;
    this.#client = new JsonClient({
      connections: CONNECTIONS,
      connectMs: timeoutMs,
      maxBytes: MAX_BYTES,
      addresses: 'any',
    });
  }

  /** @throws RetryableError without a complete JSON response in time */
  async ask({ path, query, body }: JsonQuestion): Promise<JsonAnswer> {
    const url = new URL(this.#url);
    if (path !== undefined) url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query ?? {})) {
      url.searchParams.delete(name);
      for (const each of [value].flat()) url.searchParams.append(name, each);
    }
    const authorization = this.#authorization;
    const answer = await this.#client
      .send({
        url,
        timeoutMs: this.#timeoutMs,
        isRepeatable: true,
        ...(authorization !== undefined && { headers: { authorization } }),
        ...(body !== undefined && { method: 'POST', body }),
      })
      .then((reply) => ({ status: reply.status, json: reply.json() }))
      .catch(asFailure);
    if (answer instanceof HttpFailure) throw this.failure(answer.message);
    return answer;
  }

  /**
   * Calls a JSON-RPC method.
   * @returns the result, unchecked
   * @throws RetryableError, also if the service answers with an error
   */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = newRpcIds();
    const { status, json } = await this.ask({ body: rpcRequest({ method, params }, id) });
    if (status !== 200) throw this.failure(`responded with status ${status}`);
    if (rpcIdOf(json) !== id) throw this.nonsense();
    if (rpcErrorOf(json) !== undefined) throw this.failure('rejected the request');
    return fieldOf(json, 'result');
  }

  nonsense(): RetryableError {
    return this.failure('sent an unexpected response');
  }

  /** @param reason follows the name of the service: `sent something else` */
  failure(reason: string): RetryableError {
    return new RetryableError(`The ${this.#name} ${reason}. Try again later.`, { retryAfter: 30 });
  }
}

function asFailure(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  throw error;
}

function authorizationIn({ username, password }: URL, name: string): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    // Drop the cause: it contains the password.
  }
  throw new UserError(
    'wrong-configuration',
    `The password in the URL of the ${name} isn't valid percent-encoding.`,
  );
}

/**
 * Doesn't blame the wallet if the service is on the wrong network, which is the operator's fault.
 * @throws RetryableError in place of a UserError
 */
export async function ofWallet<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new RetryableError(error.message, { cause: error });
  }
}
