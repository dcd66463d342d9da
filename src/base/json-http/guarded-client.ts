import { withDeadline } from '#base/waiting/waits';
import { JsonClient, type JsonClientOptions, type JsonReply } from './client.ts';
import { HttpFailure } from './reply.ts';
import type { TargetGuard } from './target-guard.ts';

export { HttpFailure, JsonReply } from './reply.ts';
export { TargetGuard, type TargetGuardOptions } from './target-guard.ts';

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
