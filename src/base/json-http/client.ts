import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { proxyFor } from '#base/process/egress';
import { failureOf, HttpFailure } from './failure.ts';
import { type Encoding, readBody } from './read-body.ts';
import { JsonReply } from './reply.ts';
import type { TargetGuard } from './target-guard.ts';

export { HttpFailure } from './failure.ts';
export { JsonReply } from './reply.ts';

/** Limit of a response's headers. */
const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 60_000;
/** Errors of a keep-alive connection that the server has just closed. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export interface JsonClientOptions {
  /** Maximum concurrent requests; others wait. */
  readonly connections: number;
  readonly connectMs: number;
  /** How long to keep an idle connection if the server doesn't say. Default: 4 s. */
  readonly keepAliveMs?: number;
  /** Limit of the decoded body. */
  readonly maxBytes: number;
  /** Encodings the server may use; none by default. */
  readonly encodings?: readonly Encoding[];
  /** `any` is for hosts the operator configures, as their node may run on the same network. */
  readonly addresses: TargetGuard | 'any';
}

export interface JsonRequest {
  readonly url: string | URL;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** JSON that's sent as it is, byte by byte. */
  readonly text?: string;
  /** Sent as a form instead. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  /** Timeout of everything, from connecting to the last byte, including a retry. */
  readonly timeoutMs: number;
  /** Aborts it earlier. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of the decoded body, if it isn't the client's. */
  readonly maxBytes?: number | undefined;
  /** Retry once if the connection breaks. Only for requests that are safe to repeat. */
  readonly isRepeatable?: boolean;
}

/**
 * A client for JSON over HTTP: one request, one complete response of any status, within limits on
 * time, size and addresses. Doesn't follow redirects: a 3xx is a response like any other.
 */
export class JsonClient {
  readonly #options: JsonClientOptions;
  readonly #agent: Agent;
  /** By the proxy's URL. */
  readonly #proxied = new Map<string, ProxyAgent>();
  readonly #agentOptions: Agent.Options;
  readonly #closed = new AbortController();

  constructor(options: JsonClientOptions) {
    const { connections, connectMs, keepAliveMs = KEEP_ALIVE_MS, addresses } = options;
    this.#options = options;
    this.#agentOptions = {
      connections,
      connect: addresses === 'any' ? { timeout: connectMs } : addresses.connector(connectMs),
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    };
    this.#agent = new Agent(this.#agentOptions);
  }

  /** @throws HttpFailure if there's no complete response within the limits */
  async send(wanted: JsonRequest): Promise<JsonReply> {
    const ends = [this.#closed.signal, AbortSignal.timeout(wanted.timeoutMs)];
    const signal = AbortSignal.any(wanted.signal === undefined ? ends : [...ends, wanted.signal]);
    const attempt = () => this.#attempt(wanted, signal).catch(throwFailure);
    if (wanted.isRepeatable !== true) return await attempt();
    try {
      return await attempt();
    } catch (error) {
      const isClosed = error instanceof HttpFailure && CLOSED.has(error.code);
      if (!isClosed || signal.aborted) throw error;
      return await attempt();
    }
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#agent, ...this.#proxied.values()].map((each) => each.destroy()));
  }

  /** A guard connects through the proxy itself, to the address that it has judged. */
  #agentFor(url: string | URL): Dispatcher {
    const proxy = this.#options.addresses === 'any' ? proxyFor(url) : undefined;
    if (proxy === undefined) return this.#agent;
    const known = this.#proxied.get(proxy.href);
    if (known !== undefined) return known;
    const made = new ProxyAgent({ ...this.#agentOptions, uri: proxy.href });
    this.#proxied.set(proxy.href, made);
    return made;
  }

  async #attempt(wanted: JsonRequest, signal: AbortSignal): Promise<JsonReply> {
    const { encodings = [] } = this.#options;
    const { url, method = 'GET', timeoutMs, maxBytes = this.#options.maxBytes } = wanted;
    const content = contentOf(wanted);
    const { statusCode, headers, body } = await request(url, {
      method,
      dispatcher: this.#agentFor(url),
      signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      headers: {
        accept: 'application/json',
        'accept-encoding': encodings.join(', ') || 'identity',
        'user-agent': 'fathom',
        ...(content !== undefined && { 'content-type': content.type }),
        ...wanted.headers,
      },
      ...(content !== undefined && { body: content.text }),
    });
    const bytes = await readBody(body, headers['content-encoding'], encodings, maxBytes);
    return new JsonReply(statusCode, headers, bytes);
  }
}

function contentOf({ body, text, form }: JsonRequest): { type: string; text: string } | undefined {
  if (form !== undefined) {
    const type = 'application/x-www-form-urlencoded';
    return { type, text: new URLSearchParams(form).toString() };
  }
  const json = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return json === undefined ? undefined : { type: 'application/json', text: json };
}

function throwFailure(error: unknown): never {
  throw failureOf(error);
}
