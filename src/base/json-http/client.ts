import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import { proxyFor } from '#base/process/egress';
import { withDeadline } from '#base/waiting/waits';
import { failureOf, HttpFailure, JsonReply } from './reply.ts';
import type { TargetGuard } from './target-guard.ts';
import { agentThrough } from './tunnel.ts';

/** Encodings we can read, by their names in headers. */
const DECODERS = { gzip: createGunzip, br: createBrotliDecompress } as const;
type Encoding = keyof typeof DECODERS;
type AcceptedEncodings = readonly Encoding[] | 'as-sent';

/**
 * Reads a body to its end, or stops at the limit, against decompression bombs and slow bodies.
 * @param header `Content-Encoding`
 * @param accepted encodings we requested; `as-sent` decodes none
 * @param maxBytes limit of the decoded body
 * @throws HttpFailure `too-large` or `encoding`, or what the stream throws
 */
async function readBody(
  body: Readable,
  header: string | string[] | undefined,
  accepted: AcceptedEncodings,
  maxBytes: number,
): Promise<Buffer> {
  // A truncated body also fails here, where nothing may be reading anymore.
  body.on('error', () => {});
  let decoded = body;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    decoded = decode(body, header, accepted);
    for await (const chunk of decoded) {
      size += chunk.length;
      if (size > maxBytes) throw new HttpFailure('too-large', 'sent too large a response');
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
    decoded.destroy();
  }
  return Buffer.concat(chunks);
}

function decode(
  body: Readable,
  header: string | string[] | undefined,
  accepted: AcceptedEncodings,
): Readable {
  const name = String(header ?? '').toLowerCase();
  if (accepted === 'as-sent' || name === '' || name === 'identity') return body;
  // RFC 9110, section 8.4.1.3: recipients treat x-gzip as gzip.
  const encoding = accepted.find((each) => name === each || name === `x-${each}`);
  if (encoding === undefined) {
    throw new HttpFailure('encoding', "used an encoding we didn't ask for");
  }
  const decoder = DECODERS[encoding]();
  body.on('error', (error) => decoder.destroy(error));
  return body.pipe(decoder);
}

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
  /** Encodings the server may use; none by default. `as-sent` leaves bodies as they come, for who needs none. */
  readonly encodings?: AcceptedEncodings;
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
  /** By the proxy's URL, and the target's protocol. */
  readonly #proxied = new Map<string, Dispatcher>();
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
    const ends = [this.#closed.signal, wanted.signal];
    return await withDeadline(wanted.timeoutMs, ends, (signal) => this.#within(wanted, signal));
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#agent, ...this.#proxied.values()].map((each) => each.destroy()));
  }

  async #within(wanted: JsonRequest, signal: AbortSignal): Promise<JsonReply> {
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

  /** A guard connects through the proxy itself, to the address that it has judged. */
  #agentFor(url: string | URL): Dispatcher {
    const proxy = this.#options.addresses === 'any' ? proxyFor(url) : undefined;
    if (proxy === undefined) return this.#agent;
    const target = new URL(url);
    const key = `${target.protocol} ${proxy.href}`;
    const known = this.#proxied.get(key);
    if (known !== undefined) return known;
    const made = agentThrough(proxy, target, this.#options.connectMs, this.#agentOptions);
    this.#proxied.set(key, made);
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
        'accept-encoding': (encodings !== 'as-sent' && encodings.join(', ')) || 'identity',
        'user-agent': 'fathom',
        ...(content !== undefined && { 'content-type': content.type }),
        ...wanted.headers,
      },
      ...(content !== undefined && { body: content.text }),
    });
    const encoding = headers['content-encoding'];
    const bytes = await readBody(body, encoding, encodings, maxBytes).catch((error: unknown) => {
      throw failureOf(error, { status: statusCode, headers });
    });
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

/** Connections to one host, unless the caller says otherwise. */
const CONNECTIONS = 4;
const MAX_URL_LENGTH = 2_048;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface GuardedClientOptions {
  readonly guard: TargetGuard;
  /** Connections to one host; further requests wait, and their time runs. */
  readonly connections?: number;
  /** As of `JsonClient`. Default: gzip and br. */
  readonly encodings?: JsonClientOptions['encodings'];
  /** Limit of the decoded body. */
  readonly maxBytes: number;
  /** Deadline of a whole request, redirects included. */
  readonly timeoutMs: number;
  /** How many redirects a GET follows, each checked like the first URL. Default: none. */
  readonly maxRedirects?: number;
  /** Media types of a 2xx that are accepted, in lower case without parameters. Default: any. */
  readonly contentTypes?: readonly string[];
}

export interface GuardedRequest {
  readonly url: string | URL;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST';
  /** Sent to the first URL's origin alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, as `application/json` unless `headers` say otherwise. */
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Requests whose target others choose: the receiver of a webhook, the picture of a badge, a gateway
 * that a contract names. `TargetGuard` says where they may go. They carry no cookies and no
 * credentials, and have limits of time, size, redirects and media types. Callers limit how many they
 * start at once.
 */
export class GuardedClient {
  readonly #options: GuardedClientOptions;
  readonly #client: JsonClient;

  constructor(options: GuardedClientOptions) {
    const { guard, connections = CONNECTIONS, maxBytes, timeoutMs } = options;
    const { encodings = ['gzip', 'br'] } = options;
    this.#options = options;
    this.#client = new JsonClient({
      connections,
      connectMs: timeoutMs,
      maxBytes,
      encodings,
      addresses: guard,
    });
  }

  /**
   * Sends a request.
   * @returns the reply of any status; a redirect that isn't to be followed counts as one
   * @throws HttpFailure if there's no complete response within the limits, or the target is refused
   */
  async send(request: GuardedRequest): Promise<JsonReply> {
    const { timeoutMs } = this.#options;
    return await withDeadline(timeoutMs, [request.signal], (signal) =>
      this.#follow({ ...request, signal }),
    );
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async #follow({
    url,
    headers,
    method = 'GET',
    body,
    signal,
  }: GuardedRequest): Promise<JsonReply> {
    const { timeoutMs, maxRedirects = 0 } = this.#options;
    const first = targetOf(url);
    for (let target = first, redirects = 0; ; redirects++) {
      const reply = await this.#client.send({
        url: target,
        method,
        timeoutMs,
        signal,
        headers: { accept: this.#accept, ...(target.origin === first.origin && headers) },
        ...(body !== undefined && { text: body }),
      });
      const isRedirect = method === 'GET' && REDIRECTS.has(reply.status) && maxRedirects > 0;
      if (!isRedirect) return this.#ofAcceptedType(reply);
      if (redirects === maxRedirects) {
        throw new HttpFailure('redirect', 'redirects too often');
      }
      target = targetOf(String(reply.headers.location ?? ''), target);
    }
  }

  get #accept(): string {
    return this.#options.contentTypes?.join(', ') ?? '*/*';
  }

  #ofAcceptedType(reply: JsonReply): JsonReply {
    const { contentTypes } = this.#options;
    const isSuccess = reply.status >= 200 && reply.status < 300;
    if (contentTypes === undefined || !isSuccess || contentTypes.includes(reply.contentType)) {
      return reply;
    }
    throw new HttpFailure('content-type', 'sent another type of content');
  }
}

/** @throws HttpFailure `url` */
function targetOf(text: string | URL, base?: URL): URL {
  const url = parseTarget(text, base);
  if (url === undefined) throw new HttpFailure('url', 'has no usable URL');
  url.hash = '';
  return url;
}

/**
 * A URL that a request may have; its address is judged when it's connected to.
 * @param base of a redirect
 * @returns undefined for anything that isn't a plain http(s) URL
 */
export function parseTarget(text: string | URL, base?: URL): URL | undefined {
  const url = URL.parse(String(text), base?.href);
  const isPlain = url !== null && url.username === '' && url.password === '';
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isPlain && isWeb && url.href.length <= MAX_URL_LENGTH ? url : undefined;
}
