import type { Client } from 'viem';
import { NameTrouble } from '#names/services/service';
import type { Gateways } from './gateways.ts';
import type { Hex, Multicall } from './multicall.ts';

/**
 * ENS's Universal Resolver; the ENS DAO keeps it at this address.
 * https://docs.ens.domains/resolvers/universal
 */
const ADDRESS = '0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe';
/** Its errors for names that lead nowhere, and for reverse records that don't match. */
const NO_RESULT = new Set([
  'ResolverError',
  'ResolverNotContract',
  'ResolverNotFound',
  'ReverseAddressMismatch',
  'UnsupportedResolverProfile',
]);
/** The code of its RPC error; see https://github.com/ethereum/execution-apis. */
const REVERTED = 3;
const LONGEST_NAME = 255;

interface Lookup {
  readonly signal: AbortSignal;
  /** Called before each request to a gateway. */
  readonly onGateway?: () => void;
}

/** Calls the Universal Resolver through viem, with our own transport for every request. */
export class UniversalResolver {
  readonly #multicall: Multicall;
  readonly #gateways: Gateways;

  constructor(multicall: Multicall, gateways: Gateways) {
    this.#multicall = multicall;
    this.#gateways = gateways;
  }

  /** The name that an address's reverse record claims, unverified. @throws RetryableError, NameTrouble */
  async claimedNameOf(address: Hex, lookup: Lookup): Promise<string | undefined> {
    const { getEnsName } = await import('viem/actions');
    const name = await this.#ask(lookup, (client) =>
      getEnsName(client, { address, universalResolverAddress: ADDRESS, strict: true }),
    );
    return name === undefined || name.length > LONGEST_NAME ? undefined : name;
  }

  /** The address that a normalized name leads to. @throws RetryableError, NameTrouble */
  async addressOf(name: string, lookup: Lookup): Promise<Hex | undefined> {
    const { getEnsAddress } = await import('viem/actions');
    return await this.#ask(lookup, (client) =>
      getEnsAddress(client, { name, universalResolverAddress: ADDRESS, strict: true }),
    );
  }

  async #ask<T>(
    { signal, onGateway }: Lookup,
    question: (client: Client) => Promise<T | null>,
  ): Promise<T | undefined> {
    const { BaseError, ContractFunctionRevertedError, createClient, custom } = await import('viem');
    const reader = this.#gateways.reader(signal, onGateway);
    let failure: unknown;
    const request = async ({ method, params }: { method: string; params?: unknown }) => {
      signal.throwIfAborted();
      if (method !== 'eth_call') throw new Error(`${method} isn't needed`);
      const [{ to, data }] = params as [{ to: Hex; data: Hex }];
      const outcome = await this.#multicall.call(to, data).catch((error: unknown) => {
        failure = error;
        throw error;
      });
      if (outcome.success) return outcome.data;
      throw Object.assign(new Error('reverted'), { code: REVERTED, data: outcome.data });
    };
    const client = createClient({
      transport: custom({ request }, { retryCount: 0 }),
      ccipRead: { request: (asked) => reader.request(asked) },
    });
    try {
      return (await question(client)) ?? undefined;
    } catch (error) {
      if (failure !== undefined) throw failure;
      signal.throwIfAborted();
      if (reader.hasFailed)
        throw new NameTrouble('a gateway of the name is unavailable', { cause: error });
      const cause =
        error instanceof BaseError
          ? error.walk((each) => each instanceof ContractFunctionRevertedError)
          : undefined;
      const reason =
        cause instanceof ContractFunctionRevertedError ? cause.data?.errorName : undefined;
      if (reason !== undefined && NO_RESULT.has(reason)) return undefined;
      throw new NameTrouble("the name's resolver sent an invalid response", { cause: error });
    }
  }
}
