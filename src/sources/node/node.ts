import { RetryableError } from '#base';
import { HttpFailure, JsonClient, type JsonReply } from '#base/json-http';
import { retryAfterOf, sleep } from '#base/waiting';
import type { HostPace } from '#sources/host-pace';
import { type AnswerCheck, MalformedAnswer } from './answer-schema.ts';
import {
  isLimitNotice,
  isLimitPage,
  NodeFault,
  type NodeFaultKind,
  type NodeFaultOptions,
} from './fault.ts';

/** Sixteen digits in a row: shorter numbers are exact as doubles. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d{1,100}$/;

/** TypeScript's types lack the reviver's third parameter. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/**
 * Parses JSON without rounding: integers beyond 2^53 become bigints. `JSON.parse` alone turns
 * 18446744073709551615 into 18446744073709552000.
 * @throws SyntaxError, whose message quotes the text
 */
export function parseExactly(text: string): unknown {
  return LONG_NUMBER.test(text)
    ? (JSON.parse as ParseWithSource)(text, exact)
    : (JSON.parse(text) as unknown);
}

function exact(_key: string, value: unknown, { source = '' }: { readonly source?: string }) {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return INTEGER.test(source) ? BigInt(source) : value;
}

const CONNECT_MS = 10_000;
const CONNECTIONS = 8;
/** Shorter than servers keep connections, since a busy event loop may notice the end late. */
const KEEP_ALIVE_MS = 4_000;
/** How often to send a request that is rate limited, if the host is paced. */
const SENT_MOST = 5;
/**
 * Pauses before a request is sent again whose server failed for a moment: what was read before it stays, where a
 * whole pass would start over.
 */
const PAUSES_MS = [50, 150, 450];
/** Errors of connections that were there: cut, or with garbage in place of a compressed body. */
const CUT = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE|Z_\w+)$/;
/** A server's failure, perhaps for a moment. */
const FAILURE = { isServerError: true, isPassing: true };
/** A host that wants a longer pause than this is left alone, so that others are asked and the reason is known. */
const PAUSE_MOST_S = 10;

/** For tasks without a signal. */
const NEVER = new AbortController().signal;

export interface NodeOptions {
  /** The most bytes of the decoded body. */
  readonly maxBytes: number;
  /** For the whole request. */
  readonly timeoutMs: number;
  /** The environment variable with its URL. */
  readonly variable?: string | undefined;
  /** For example API keys; never shown. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly pace?: HostPace | undefined;
  /** Default: `parseExactly`, which is slow on long digits. @throws SyntaxError */
  readonly parse?: (text: string) => unknown;
}

export interface NodeRequest {
  /** Appended to the path of the node's URL. */
  readonly path?: string;
  /** Added to its query. */
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON in a POST request. */
  readonly body?: unknown;
  /** The most bytes of the decoded body, if it differs from the node's own limit. */
  readonly maxBytes?: number | undefined;
  /**
   * Whether it can't ask for less. Then a response that's too large or slow counts against the node, so that
   * others are asked.
   */
  readonly isWhole?: boolean | undefined;
  /** Whether a server error may mean that it's too much, so that the caller sees to it, and asks for less. */
  readonly isHeavy?: boolean | undefined;
  /** Whether a body with a 5xx status is a response: some nodes send errors that way. */
  readonly isAnswer?: (json: unknown) => boolean;
  /** Whether a response says something else than that the key is wrong, whatever its status. */
  readonly isExplained?: (json: unknown) => boolean;
  /** Whether a response is to this request, where it says so: a proxy may mix them up for a moment. */
  readonly isOurs?: (json: unknown) => boolean;
  /** Whether an error of the protocol says "too many requests"; a gateway's own words are known. */
  readonly isLimited?: (json: unknown) => boolean;
  /** Whether a response says that the server failed, perhaps for a moment; not all of those have a 5xx status. */
  readonly isFailure?: (json: unknown) => boolean;
}

export interface NodeAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** A node, an indexer or a hub. The operator chose its URL, which may hold keys. */
export class SourceNode {
  /** Host and port: the only part of the URL that is ever shown. */
  readonly host: string;
  readonly variable: string | undefined;
  readonly #url: URL;
  readonly #options: NodeOptions;
  readonly #authorization: string | undefined;
  readonly #client: JsonClient;
  /** How many requests were sent, and how many of those that failed were sent again. */
  readonly counts = { requests: 0, repeated: 0 };

  /**
   * @param url with `http:` or `https:`; its username and password are sent as basic authentication
   * @throws RetryableError if those can't be decoded
   */
  constructor(url: URL, options: NodeOptions) {
    this.host = url.host;
    this.variable = options.variable;
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

  /** Tells it from other nodes of the same host. */
  get name(): string {
    return this.variable === undefined ? this.host : `${this.variable} (${this.host})`;
  }

  /** Whether the operator's URL already ends with this path. */
  pathEndsWith(path: string): boolean {
    return this.#url.pathname.replace(/\/$/, '').endsWith(path);
  }

  /**
   * Requests JSON. Returns responses of any status below 500, except those that speak of the node's state.
   * Requests change nothing, so they're repeated if a connection was closed, if the server fails for a moment, or
   * at the pace the node asks for.
   * @throws NodeFault `unreachable`, `limited`, `too-much`, `unfit`; the reason of the signal
   */
  async ask(request: NodeRequest, signal: AbortSignal = NEVER): Promise<NodeAnswer> {
    const { pace } = this.#options;
    const pauses = [...PAUSES_MS];
    const { isWhole = false, isHeavy = !isWhole } = request;
    // A caller that can ask for less does so first.
    const isWorthIt = (error: unknown) =>
      error instanceof NodeFault &&
      error.isPassing &&
      !(error.isServerError && request.isHeavy === true) &&
      !(error.kind === 'too-much' && isHeavy);
    for (let sent = 1; ; sent += 1, this.counts.repeated += 1) {
      let reply: JsonReply;
      let answer: NodeAnswer | undefined;
      try {
        const send = () => this.#send(request, signal);
        reply = await (pace === undefined ? send() : pace.run(signal, send));
        answer = reply.status === 429 ? undefined : this.#answerOf(reply, request);
      } catch (error) {
        const pause = isWorthIt(error) ? pauses.shift() : undefined;
        if (pause === undefined) throw error;
        // Each may take as long as the server waits.
        if (error instanceof NodeFault && error.kind === 'too-much') pauses.length = 0;
        await sleep(pause, signal);
        sent -= 1;
        continue;
      }
      const isFailure = answer !== undefined && request.isFailure?.(answer.json) === true;
      const pause = isFailure && request.isHeavy !== true ? pauses.shift() : undefined;
      if (pause !== undefined) {
        await sleep(pause, signal);
        sent -= 1;
        continue;
      }
      if (answer !== undefined && request.isLimited?.(answer.json) !== true) {
        pace?.wentWell();
        return answer;
      }
      const retryAfter = retryAfterOf(reply.headers['retry-after']);
      pace?.slowDown(retryAfter === undefined ? undefined : retryAfter * 1_000);
      const isLong = retryAfter !== undefined && retryAfter > PAUSE_MOST_S;
      if (pace === undefined || sent === SENT_MOST || isLong) {
        const options = retryAfter === undefined ? {} : { retryAfter };
        throw this.fault('limited', 'is rate-limiting us', options);
      }
    }
  }

  /** @param reason continues a sentence after the node's name: `lists signatures out of order` */
  fault(kind: NodeFaultKind, reason: string, options?: NodeFaultOptions): NodeFault {
    return new NodeFault(kind, `${this.name} ${reason}.`, options);
  }

  /** Aborts all requests. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async #send(
    { path, query, body, maxBytes, isWhole }: NodeRequest,
    signal: AbortSignal,
  ): Promise<JsonReply> {
    const url = new URL(this.#url);
    if (path !== undefined) url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const { timeoutMs, headers } = this.#options;
    const authorization = this.#authorization;
    this.counts.requests += 1;
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
        return this.#throwFailure(error, isWhole);
      });
  }

  /** @returns undefined if it asks for fewer requests */
  #answerOf(reply: JsonReply, request: NodeRequest): NodeAnswer | undefined {
    const { isAnswer, isExplained, isOurs, isWhole } = request;
    const { status } = reply;
    const answered = `answered with ${status}`;
    if (status === 413) throw this.fault(tooMuch(isWhole), answered, { isRejected: true });
    // Perhaps it took too long to answer, and perhaps what is behind a gateway is away for a moment.
    if (status === 504) throw this.fault(tooMuch(isWhole), answered, FAILURE);
    const text = textOf(reply);
    const json = this.#parse(text);
    if (json === undefined ? isLimitPage(text) : isLimitNotice(json)) return undefined;
    if ((status === 401 || status === 403) && isExplained?.(json) !== true) {
      throw this.fault('unfit', `${answered}: check its key`);
    }
    if (status >= 300 && status < 400) {
      throw this.fault('unreachable', `redirects elsewhere (status ${status}): correct its URL`);
    }
    if (status >= 500 && (json === undefined || isAnswer?.(json) !== true)) {
      throw this.fault('unreachable', answered, FAILURE);
    }
    if (json === undefined && status >= 400) {
      // A server gives up waiting for a request whose connection is slow.
      throw this.fault('refused', answered, { isPassing: status === 408, isRejected: true });
    }
    if (json === undefined) {
      throw this.fault('unreachable', 'sent something that is not JSON', { isPassing: true });
    }
    // Nothing that we ask for is answered like that.
    if (json === null) throw this.fault('broken', 'sent an empty response', { isPassing: true });
    if (isOurs?.(json) === false) {
      throw this.fault('broken', 'answered another request', { isPassing: true });
    }
    return { status, json };
  }

  /** @returns undefined if it isn't JSON, for example a proxy's error page */
  #parse(text: string): unknown {
    try {
      return (this.#options.parse ?? parseExactly)(text);
    } catch {
      return undefined;
    }
  }

  /** Without the cause, which may quote the URL. */
  #throwFailure(error: unknown, isWhole: boolean | undefined): never {
    if (!(error instanceof HttpFailure)) throw error;
    const { reason, message } = error;
    const isTooMuch = reason === 'timeout' || reason === 'too-large';
    throw this.fault(isTooMuch ? tooMuch(isWhole) : 'unreachable', message, {
      isPassing: CUT.test(error.code),
    });
  }
}

/** '' if it isn't UTF-8. */
function textOf(reply: JsonReply): string {
  try {
    return reply.takeText();
  } catch {
    return '';
  }
}

function tooMuch(isWhole = false): NodeFaultKind {
  return isWhole ? 'unreachable' : 'too-much';
}

function authorizationIn({ host, username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch (cause) {
    throw new RetryableError(
      `The address of ${host} has a username or password that can't be decoded. Write % as %25.`,
      { cause },
    );
  }
}

/**
 * How long to wait before what a node doesn't have, or what it sent nonsense for, is requested again: behind one
 * address there may be several machines, of which one is a moment behind, and a proxy may mix up what they send.
 */
const AGAIN_MS = [50, 150, 450];
const AGAIN: ReadonlySet<NodeFaultKind> = new Set(['behind', 'broken']);

/** Requests to one node as part of one task, aborted by the task's signal. */
export class NodeCall {
  readonly node: SourceNode;
  readonly #signal: AbortSignal | undefined;

  constructor(node: SourceNode, signal?: AbortSignal) {
    this.node = node;
    this.#signal = signal;
  }

  get host(): string {
    return this.node.host;
  }

  /** See `SourceNode.ask`. */
  async ask(request: NodeRequest): Promise<NodeAnswer> {
    return await this.node.ask(request, this.#signal);
  }

  /**
   * Does part of a task again while the node is behind or sends nonsense, so that the rest of the task isn't lost.
   * @throws what the work throws in the end
   */
  async again<T>(work: () => Promise<T>): Promise<T> {
    for (const pauseMs of AGAIN_MS) {
      try {
        return await work();
      } catch (error) {
        const isPassing = error instanceof NodeFault && AGAIN.has(error.kind);
        if (!isPassing) throw error;
        await sleep(pauseMs, this.#signal);
        this.#signal?.throwIfAborted();
      }
    }
    return await work();
  }

  /**
   * Checks a response.
   * @throws NodeFault `broken`
   */
  check<T>(check: AnswerCheck<T>, value: unknown): T {
    return this.checked(() => check(value));
  }

  /**
   * Runs a function, turning MalformedAnswer into a NodeFault.
   * @throws NodeFault `broken`
   */
  checked<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof MalformedAnswer)) throw error;
      throw this.fault('broken', error.message);
    }
  }

  /** See `SourceNode.fault`. */
  fault(kind: NodeFaultKind, reason: string, options?: NodeFaultOptions): NodeFault {
    return this.node.fault(kind, reason, options);
  }
}
