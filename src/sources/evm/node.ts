import { fieldOf } from '#core/json-field';
import { HttpFailure, JsonClient, type JsonReply } from '#runtime/json-http/client';
import type { HostPace } from '#sources/host-pace';
import type { NodeStatus } from '#sources/source';
import { RpcFault, rpcFaultOf } from './faults.ts';
import { LogRangeWidth } from './width.ts';

/** The longest that an answer may take, and the most bytes that it may have. */
const TIMEOUT_MS = 30_000;
const BODY_MOST = 48 * 1024 * 1024;
/** How long a node that failed is left alone: the first time, and at most. */
const REST_MS = { first: 500, most: 60_000 };
/** How long one is left alone that has no such blocks, or must not be asked. */
const UNFIT_MS = 300_000;
/** How often a node that says "too often" is asked again. */
const RATE_TRIES = 8;
const RETRY_AFTER_MOST_S = 3_600;

/** A call of JSON-RPC. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface EvmNodeOptions {
  readonly url: URL;
  readonly chainId: bigint;
  readonly pace: HostPace;
  /** For tests. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly restMs?: { readonly first: number; readonly most: number };
}

/** One node: batches of calls, how far it may be trusted, and what is told of it. */
export class EvmNode {
  /** Host and port: all of its address that is ever shown. */
  readonly host: string;
  readonly width = new LogRangeWidth();
  readonly #options: EvmNodeOptions;
  readonly #client: JsonClient;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  #isRightChain = false;
  #requests = 0;
  #failures = 0;
  #failuresInARow = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #state: NodeStatus['state'] = 'untried';
  #height: number | undefined;
  #lastFault: string | undefined;

  constructor(options: EvmNodeOptions) {
    this.#options = options;
    this.host = options.url.host;
    const { username, password } = options.url;
    this.#url = new URL(options.url);
    this.#url.username = '';
    this.#url.password = '';
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers =
      login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
    this.#client = new JsonClient({
      ...{ connections: 4, connectMs: 10_000, addresses: 'any' },
      maxBytes: options.maxBytes ?? BODY_MOST,
      encodings: ['gzip', 'br'],
    });
  }

  /** Whether it may be asked now: one that failed is tried again after a while. */
  get isReady(): boolean {
    return performance.now() >= this.#restsUntil;
  }

  status(): NodeStatus {
    return {
      ...{ host: this.host, state: this.#state, height: this.#height, widest: this.width.limit },
      ...{ requests: this.#requests, failures: this.#failures, lastFault: this.#lastFault },
    };
  }

  /**
   * Asks several calls in one request, once the node was found to be of the right chain.
   * @returns results in the order of the calls
   * @throws RpcFault, of which nothing is noted yet
   */
  async ask(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly unknown[]> {
    for (let tries = 1; ; tries++) {
      try {
        if (!this.#isRightChain) await this.#requireChain(signal);
        return await this.#batch(calls, signal);
      } catch (error) {
        const isRate = error instanceof RpcFault && error.kind === 'rate';
        if (!isRate || tries === RATE_TRIES) throw error;
        // The pace of the host waits as long as it has to.
      }
    }
  }

  /** Whether it has told of a block that is as high. */
  hasSeen(height: number): boolean {
    return this.#height !== undefined && this.#height >= height;
  }

  /** @param height the newest final block that it told */
  sawHeight(height: number): void {
    this.#height = height;
  }

  answered(): void {
    this.#options.pace.wentWell();
    this.#failuresInARow = 0;
    this.#state = 'ok';
  }

  /** Leaves the node alone for a while. @returns what to say of it */
  failed(fault: RpcFault): string {
    this.#failures += 1;
    this.#failuresInARow += 1;
    const words = `${this.host} ${fault.message}`;
    this.#lastFault = fault.message;
    const { first, most } = this.#options.restMs ?? REST_MS;
    const grown = Math.min(most, first * 2 ** Math.min(this.#failuresInARow - 1, 20));
    const isUnfit = fault.kind === 'unfit' || fault.kind === 'pruned' || fault.kind === 'wrong';
    this.#state = isUnfit ? 'unfit' : fault.kind === 'behind' ? 'behind' : 'failing';
    if (isUnfit) this.#isRightChain = false;
    const unfitMs = Math.min(UNFIT_MS, most * 5);
    this.#restsUntil = performance.now() + (isUnfit ? unfitMs : grown);
    return words;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #requireChain(signal: AbortSignal): Promise<void> {
    const [told] = await this.#batch([{ method: 'eth_chainId', params: [] }], signal);
    const { chainId } = this.#options;
    if (typeof told !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(told)) throw nonsense();
    if (BigInt(told) !== chainId) {
      throw new RpcFault('unfit', `is of chain ${BigInt(told)}, not of ${chainId}`);
    }
    this.#isRightChain = true;
  }

  async #batch(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly unknown[]> {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
    const { pace } = this.#options;
    const reply = await pace.run(signal, () => this.#send(body));
    const retryAfterMs = retryAfterOf(reply);
    if (reply.status === 429) {
      pace.slowDown(retryAfterMs);
      throw new RpcFault('rate', 'says that it is asked too often', { retryAfterMs });
    }
    if (reply.status === 401 || reply.status === 403) {
      throw new RpcFault('unfit', `refuses our key (HTTP ${reply.status})`);
    }
    if (reply.status === 413)
      throw new RpcFault('refused', 'says that this is too much (HTTP 413)');
    const answers = jsonOf(reply);
    const error = Array.isArray(answers)
      ? answers
          .map((each) => fieldOf(each, 'error') ?? undefined)
          .find((each) => each !== undefined)
      : fieldOf(answers, 'error');
    if (error !== undefined && error !== null) {
      const fault = rpcFaultOf(error, retryAfterMs);
      if (fault.kind === 'rate') pace.slowDown(fault.retryAfterMs);
      throw fault;
    }
    if (reply.status >= 500) throw new RpcFault('refused', `answered with HTTP ${reply.status}`);
    if (reply.status !== 200 || !Array.isArray(answers)) throw nonsense();
    return inOrder(answers, calls.length);
  }

  async #send(body: unknown): Promise<JsonReply> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    this.#requests += 1;
    try {
      return await this.#client.send({
        ...{ url: this.#url, headers: this.#headers, method: 'POST' },
        ...{ body, timeoutMs, isRepeatable: true },
      });
    } catch (error) {
      throw error instanceof HttpFailure ? faultOfFailure(error) : error;
    }
  }
}

function faultOfFailure(cause: HttpFailure): RpcFault {
  if (cause.reason === 'too-large') {
    return new RpcFault('refused', 'sends more than we take at once', { cause });
  }
  if (cause.reason === 'timeout') {
    return new RpcFault('refused', 'took too long to answer', { cause });
  }
  return new RpcFault('failing', cause.message, { cause });
}

/** What is no answer may be anything, a page of a proxy too. */
function nonsense(): RpcFault {
  return new RpcFault('failing', 'sent something else than was asked for');
}

/** @returns undefined for what is no JSON, such as a page of a proxy */
function jsonOf(reply: JsonReply): unknown {
  try {
    return reply.json();
  } catch {
    return undefined;
  }
}

function inOrder(answers: readonly unknown[], count: number): readonly unknown[] {
  const results = new Map(answers.map((each) => [fieldOf(each, 'id'), fieldOf(each, 'result')]));
  if (results.size !== count || answers.length !== count) throw nonsense();
  return Array.from({ length: count }, (_, id) => {
    if (!results.has(id) || results.get(id) === undefined) throw nonsense();
    return results.get(id);
  });
}

function retryAfterOf({ headers }: JsonReply): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string' || !/^\d{1,6}$/.test(value)) return undefined;
  return Math.min(Number(value), RETRY_AFTER_MOST_S) * 1_000;
}
