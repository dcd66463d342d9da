import Bottleneck from 'bottleneck';
import { fieldOf, RetryableError } from '#base';
import { GuardedClient, type TargetGuard } from '#base/json-http';
import type { EthereumNode } from '#linking/proofs';

export type Hex = `0x${string}`;

/** What a contract returned, or why it reverted. */
export interface CallOutcome {
  readonly success: boolean;
  readonly data: Hex;
}

interface Waiting {
  readonly to: Hex;
  readonly data: Hex;
  readonly outcome: PromiseWithResolvers<CallOutcome>;
}

/** At the same address on every chain: https://www.multicall3.com */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';
const AGGREGATE = [
  {
    type: 'function',
    name: 'aggregate3',
    stateMutability: 'view',
    inputs: [
      {
        name: 'calls',
        type: 'tuple[]',
        components: [
          { name: 'target', type: 'address' },
          { name: 'allowFailure', type: 'bool' },
          { name: 'callData', type: 'bytes' },
        ],
      },
    ],
    outputs: [
      {
        name: 'returnData',
        type: 'tuple[]',
        components: [
          { name: 'success', type: 'bool' },
          { name: 'returnData', type: 'bytes' },
        ],
      },
    ],
  },
] as const;
/**
 * Reverts that don't depend on how much gas was left: OffchainLookup, ResolverNotFound and
 * ReverseAddressMismatch.
 */
const DEFINITE = ['0x556f1830', '0x77209fe8', '0xef9c03ce'];
/** A look-up takes less than a million gas, and nodes allow 25 million or more per call. */
const CALLS_AT_ONCE = 10;

/**
 * Calls several contracts in one request. Nodes report reverts in different ways; the multicall contract
 * returns them as data.
 */
export class Multicall {
  readonly #node: EthereumNode;
  #waiting: Waiting[] = [];

  constructor(node: EthereumNode) {
    this.#node = node;
  }

  /** @throws RetryableError; UserError if the node is on another network */
  async call(to: Hex, data: Hex): Promise<CallOutcome> {
    const outcome = Promise.withResolvers<CallOutcome>();
    this.#waiting.push({ to, data, outcome });
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    return await outcome.promise;
  }

  #flush(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < all.length; i += CALLS_AT_ONCE)
      void this.#settle(all.slice(i, i + CALLS_AT_ONCE));
  }

  async #settle(calls: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#aggregate(calls);
      for (const [i, { outcome }] of calls.entries()) {
        const found = outcomes[i] as CallOutcome;
        // Another call of the batch may have used up its gas.
        const mayBeStarved = !found.success && !DEFINITE.includes(found.data.slice(0, 10));
        if (mayBeStarved && calls.length > 1) void this.#settle([calls[i] as Waiting]);
        else outcome.resolve(found);
      }
    } catch (error) {
      if (error instanceof RetryableError && calls.length > 1) await this.#settleEach(calls);
      else for (const { outcome } of calls) outcome.reject(error);
    }
  }

  /** One at a time, so that a node that's down isn't asked for each. */
  async #settleEach(calls: readonly Waiting[]): Promise<void> {
    let failure: unknown;
    for (const { to, data, outcome } of calls) {
      if (failure !== undefined) {
        outcome.reject(failure);
        continue;
      }
      try {
        const [found] = await this.#aggregate([{ to, data }]);
        outcome.resolve(found as CallOutcome);
      } catch (error) {
        failure = error;
        outcome.reject(error);
      }
    }
  }

  async #aggregate(
    calls: readonly Pick<Waiting, 'to' | 'data'>[],
  ): Promise<readonly CallOutcome[]> {
    const { encodeFunctionData, decodeFunctionResult } = await import('viem');
    const data = encodeFunctionData({
      abi: AGGREGATE,
      functionName: 'aggregate3',
      args: [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
    });
    const returned = (await this.#node.call(MULTICALL, data)) as Hex;
    try {
      const outcomes = decodeFunctionResult({
        abi: AGGREGATE,
        functionName: 'aggregate3',
        data: returned,
      });
      if (outcomes.length === calls.length) {
        return outcomes.map(({ success, returnData }) => ({ success, data: returnData }));
      }
    } catch {}
    throw this.#node.nonsense();
  }
}

const MAX_BYTES = 64 * 1024;
/** How many gateways to try per request, and how many requests a look-up may make. */
const TRIED = 2;
const REQUESTS = 4;
/** Concurrent requests, to all hosts and to one of them, and how many more may wait for each. */
const GATEWAYS_AT_ONCE = 32;
const AT_ONE_HOST = 4;
const WAITING = 200;
/** How long to remember a host that isn't asked. */
const HOST_IDLE_MS = 60_000;
const BOUNDED = { highWater: WAITING, strategy: Bottleneck.strategy.OVERFLOW };
const HEX = /^0x(?:[0-9a-f]{2})*$/i;

/** What a contract asks us to fetch (EIP-3668). */
interface OffchainRequest {
  readonly sender: Hex;
  readonly data: Hex;
  readonly urls: readonly string[];
}

/** Fetches on behalf of one look-up. */
export interface GatewayReader {
  /** @throws Error if no gateway responds, or the look-up asks for too much */
  request(asked: OffchainRequest): Promise<Hex>;
  /** Whether a request failed; the look-up's result then proves nothing. */
  readonly hasFailed: boolean;
}

/**
 * Fetches what names store off chain, from gateways that their owners choose (CCIP Read). Contracts verify
 * the result. A host that responds slowly only delays the names that it keeps.
 * https://eips.ethereum.org/EIPS/eip-3668
 */
export class Gateways {
  readonly #client: GuardedClient;
  readonly #timeoutMs: number;
  readonly #all = new Bottleneck({ maxConcurrent: GATEWAYS_AT_ONCE, ...BOUNDED });
  readonly #hosts = new Bottleneck.Group({
    maxConcurrent: AT_ONE_HOST,
    ...BOUNDED,
    timeout: HOST_IDLE_MS,
  });

  /** @param timeoutMs for all requests of one look-up, from the start of the first */
  constructor(guard: TargetGuard, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#client = new GuardedClient({ guard, maxBytes: MAX_BYTES, timeoutMs });
    this.#hosts.on('created', (host: Bottleneck) => host.chain(this.#all));
  }

  /**
   * A reader for one look-up. It limits what the look-up's contracts can make us fetch.
   * @param onRequest called before each request
   */
  reader(signal: AbortSignal, onRequest: () => void = () => undefined): GatewayReader {
    const ending = new Deadline(signal, this.#timeoutMs);
    let requests = 0;
    let hasFailed = false;
    return {
      get hasFailed() {
        return hasFailed;
      },
      request: async (asked) => {
        onRequest();
        try {
          requests += 1;
          if (requests > REQUESTS) throw new Error('too many requests to gateways');
          return await this.#fetch(asked, ending);
        } catch (error) {
          hasFailed = true;
          throw error;
        }
      },
    };
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #fetch({ sender, data, urls }: OffchainRequest, ending: Deadline): Promise<Hex> {
    for (const template of urls.slice(0, TRIED)) {
      const host = URL.parse(template)?.host;
      if (host === undefined) continue;
      const found = await this.#hosts.key(host).schedule(async () => {
        // Waiting for others' requests isn't this gateway's fault, so it doesn't count.
        const signal = ending.begin();
        signal.throwIfAborted();
        return await this.#ask(template, sender.toLowerCase(), data, signal);
      });
      if (found !== undefined) return found;
    }
    throw new Error('no gateway responded');
  }

  async #ask(
    template: string,
    sender: string,
    data: Hex,
    signal: AbortSignal,
  ): Promise<Hex | undefined> {
    const isGet = template.includes('{data}');
    const url = template.replaceAll('{sender}', sender).replaceAll('{data}', data);
    try {
      const reply = await this.#client.send({
        url,
        signal,
        ...(!isGet && { method: 'POST', body: JSON.stringify({ data, sender }) }),
      });
      const found = fieldOf(reply.json(), 'data');
      const isGood = reply.status >= 200 && reply.status < 300;
      return isGood && typeof found === 'string' && HEX.test(found) ? (found as Hex) : undefined;
    } catch {
      // The reason doesn't matter: the name's owner chose this gateway, and another may respond.
      return undefined;
    }
  }
}

/** A signal that times out some time after it was first needed. */
class Deadline {
  readonly #signal: AbortSignal;
  readonly #milliseconds: number;
  #begun: AbortSignal | undefined;

  constructor(signal: AbortSignal, milliseconds: number) {
    this.#signal = signal;
    this.#milliseconds = milliseconds;
  }

  begin(): AbortSignal {
    this.#begun ??= AbortSignal.any([this.#signal, AbortSignal.timeout(this.#milliseconds)]);
    return this.#begun;
  }
}
