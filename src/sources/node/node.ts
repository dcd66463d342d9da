import { RetryableError } from '#core/errors';
import { HttpFailure, JsonClient, type JsonReply } from '#runtime/json-http/client';
import { retryAfterOf } from '#runtime/retry-after';
import type { HostPace } from '#sources/host-pace';
import { parseExactly } from './exact-json.ts';
import { NodeFault, type NodeFaultKind, type NodeFaultOptions } from './fault.ts';

const CONNECT_MS = 10_000;
const CONNECTIONS = 8;
/** Node's event loop may be busy for longer than a server keeps a connection. */
const KEEP_ALIVE_MS = 4_000;
/** How often a request is sent that is answered with "too many requests", where the host is paced. */
const SENT_MOST = 5;

/** Of work that nothing ends. */
const NEVER = new AbortController().signal;

export interface NodeOptions {
  /** Of a decoded body. */
  readonly maxBytes: number;
  /** For a whole request. */
  readonly timeoutMs: number;
  /** Such as keys; never shown. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly pace?: HostPace | undefined;
  /** Default: `parseExactly`, which takes its time for long digits. @throws SyntaxError */
  readonly parse?: (text: string) => unknown;
}

export interface NodeRequest {
  /** Added to the path of the node's address. */
  readonly path?: string;
  /** Added to its query. */
  readonly query?: Readonly<Record<string, string>>;
  /** Sent by POST, as JSON. */
  readonly body?: unknown;
  /** Of the decoded answer, where it's another limit than the node's own. */
  readonly maxBytes?: number | undefined;
  /** Whether something sent with a status of 5xx is an answer: some send their errors so. */
  readonly isAnswer?: (json: unknown) => boolean;
  /** Whether an answer says "too many requests", for not all of them are sent with a 429. */
  readonly isLimited?: (json: unknown) => boolean;
}

export interface NodeAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** A node, an indexer or a hub at an address that the operator chose and that may hold keys. */
export class SourceNode {
  /** Host and port, which is all that's ever shown of the address. */
  readonly host: string;
  readonly #url: URL;
  readonly #options: NodeOptions;
  readonly #authorization: string | undefined;
  readonly #client: JsonClient;
  #requests = 0;

  /**
   * @param url with `http:` or `https:`; a name and a password in it are sent as basic authentication
   * @throws RetryableError when those can't be decoded
   */
  constructor(url: URL, options: NodeOptions) {
    this.host = url.host;
    this.#options = options;
    this.#authorization = authorizationIn(url);
    this.#url = new URL(url);
    this.#url.username = '';
    this.#url.password = '';
    this.#client = new JsonClient({
      connections: CONNECTIONS,
      connectMs: CONNECT_MS,
      keepAliveMs: KEEP_ALIVE_MS,
      maxBytes: options.maxBytes,
      encodings: ['gzip', 'br'],
      addresses: 'any',
    });
  }

  /** Whether the operator's address has this in its path already. */
  pathEndsWith(path: string): boolean {
    return this.#url.pathname.replace(/\/$/, '').endsWith(path);
  }

  /** How many requests were sent. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * A whole answer in JSON, of any status below 500 but those that say how the node is. Nothing is
   * changed by asking, so it's asked again where a kept connection was closed, and where the node wants
   * to be asked more slowly.
   * @throws NodeFault `unreachable`, `limited`, `too-much`, `unfit`; the reason of the signal
   */
  async ask(request: NodeRequest, signal: AbortSignal = NEVER): Promise<NodeAnswer> {
    const { pace } = this.#options;
    for (let sent = 1; ; sent += 1) {
      const send = () => this.#send(request, signal);
      const reply = await (pace === undefined ? send() : pace.run(signal, send));
      const answer = reply.status === 429 ? undefined : this.#answerOf(reply, request);
      if (answer !== undefined && request.isLimited?.(answer.json) !== true) {
        pace?.wentWell();
        return answer;
      }
      const retryAfter = retryAfterOf(reply.headers['retry-after']);
      pace?.slowDown(retryAfter === undefined ? undefined : retryAfter * 1_000);
      if (pace === undefined || sent === SENT_MOST) {
        const options = retryAfter === undefined ? {} : { retryAfter };
        throw this.fault('limited', 'asks for fewer requests', options);
      }
    }
  }

  /** @param reason follows the name of the node: `lists signatures out of order` */
  fault(kind: NodeFaultKind, reason: string, options?: NodeFaultOptions): NodeFault {
    return new NodeFault(kind, `${this.host} ${reason}.`, options);
  }

  /** Ends what's under way. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async #send(
    { path, query, body, maxBytes }: NodeRequest,
    signal: AbortSignal,
  ): Promise<JsonReply> {
    const url = new URL(this.#url);
    if (path !== undefined) url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const { timeoutMs, headers } = this.#options;
    const authorization = this.#authorization;
    this.#requests += 1;
    return await this.#client
      .send({
        url,
        timeoutMs,
        signal,
        isRepeatable: true,
        maxBytes,
        headers: { ...(authorization !== undefined && { authorization }), ...headers },
        ...(body !== undefined && { method: 'POST', body }),
      })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        return this.#throwFailure(error);
      });
  }

  #answerOf(reply: JsonReply, { isAnswer }: NodeRequest): NodeAnswer {
    const { status } = reply;
    if (status === 413 || status === 504) throw this.fault('too-much', `answered with ${status}`);
    if (status === 401 || status === 403) {
      throw this.fault('unfit', `answered with ${status}: check its key`);
    }
    const json = this.#parse(reply);
    if (status >= 500 && (json === undefined || isAnswer?.(json) !== true)) {
      throw this.fault('unreachable', `answered with ${status}`, { isServerError: true });
    }
    if (json === undefined) throw this.fault('unreachable', 'sent something that is not JSON');
    return { status, json };
  }

  /** @returns undefined for what is no JSON, such as a page of a proxy */
  #parse(reply: JsonReply): unknown {
    try {
      return (this.#options.parse ?? parseExactly)(reply.text);
    } catch {
      return undefined;
    }
  }

  /** Not the cause: it may quote the address. */
  #throwFailure(error: unknown): never {
    if (!(error instanceof HttpFailure)) throw error;
    const { reason, message } = error;
    const kind = reason === 'timeout' || reason === 'too-large' ? 'too-much' : 'unreachable';
    throw this.fault(kind, message);
  }
}

function authorizationIn({ host, username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch (cause) {
    throw new RetryableError(
      `The address of ${host} has a name or a password that can't be decoded. Write % as %25.`,
      { cause },
    );
  }
}
