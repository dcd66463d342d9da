import { RetryableError } from '#base';
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
const AT_ONCE = 10;

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
    for (let i = 0; i < all.length; i += AT_ONCE) void this.#settle(all.slice(i, i + AT_ONCE));
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
