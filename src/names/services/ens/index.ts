import type { Client } from 'viem';
import { monotonicMs } from '#base';
import type { TargetGuard } from '#base/json-http';
import { EthereumNode, JsonService } from '#linking/proofs';
import {
  forOne,
  type NameService,
  NameTrouble,
  namesOfEach,
  normalizeEns,
  type TakeLate,
} from '#names/services/service';
import { ethereum } from '#wallet/chains';
import { Gateways, type Hex, Multicall } from './multicall.ts';

const TIMEOUT_MS = 5_000;
/** How long a node counts as up to date. */
const FRESH_MS = 60_000;
/** A name of ENS's own, which always exists. */
const KNOWN = 'ens.eth';
const LATE = Symbol('waits for gateways');

interface EnsOptions {
  /** JSON-RPC URL of an Ethereum mainnet node. */
  readonly url: string;
  /** Restricts where gateways may be, since owners of names choose them. */
  readonly guard: TargetGuard;
  /** Per request, from connecting to the last byte. */
  readonly timeoutMs?: number;
}

/** ENS names, looked up through the Universal Resolver. https://docs.ens.domains/resolvers/universal */
export class Ens implements NameService {
  readonly chain = 'ethereum';
  readonly endings = ['.eth'];
  /** DNS names can be imported to ENS, too. */
  readonly takesOthers = true;
  readonly leadsBack = true;
  readonly batchSize = 30;
  readonly pauseMs = 250;
  readonly #node: EthereumNode;
  /** Separate, so that lookups of shown names don't hold up those of typed names. */
  readonly #gateways: { readonly shown: Gateways; readonly typed: Gateways };
  readonly #shown: UniversalResolver;
  readonly #typed: UniversalResolver;
  #freshUntil = Number.NEGATIVE_INFINITY;

  /** @throws UserError `wrong-configuration` */
  constructor({ url, guard, timeoutMs = TIMEOUT_MS }: EnsOptions) {
    this.#node = new EthereumNode(new JsonService('Ethereum node', url, timeoutMs));
    this.#gateways = {
      shown: new Gateways(guard, timeoutMs),
      typed: new Gateways(guard, timeoutMs),
    };
    const multicall = new Multicall(this.#node);
    this.#shown = new UniversalResolver(multicall, this.#gateways.shown);
    this.#typed = new UniversalResolver(multicall, this.#gateways.typed);
  }

  normalize(name: string): Promise<string | undefined> {
    return normalizeEns(name);
  }

  async namesOf(
    addresses: readonly string[],
    signal: AbortSignal,
    takeLate: TakeLate,
  ): Promise<ReadonlyMap<string, string | undefined>> {
    await this.#requireFresh();
    return await namesOfEach(addresses, (address) =>
      this.#nameSoon(address as Hex, signal, takeLate),
    );
  }

  async walletOf(name: string, signal: AbortSignal): Promise<string | undefined> {
    await this.#requireFresh();
    const address = await forOne(() => this.#typed.addressOf(name, { signal }));
    return address === undefined ? undefined : ethereum.canonical(address);
  }

  async check(): Promise<void> {
    const known = await this.walletOf(KNOWN, new AbortController().signal);
    if (known === undefined) throw this.#node.nonsense();
  }

  async close(): Promise<void> {
    await Promise.all([this.#gateways.shown.close(), this.#gateways.typed.close()]);
  }

  /** Hands over the look-up if it has to wait for gateways. @throws RetryableError, NameTrouble */
  async #nameSoon(
    address: Hex,
    signal: AbortSignal,
    takeLate: TakeLate,
  ): Promise<string | undefined> {
    const waiting = Promise.withResolvers<typeof LATE>();
    const name = this.#nameOf(address, signal, () => waiting.resolve(LATE));
    const first = await Promise.race([name, waiting.promise]);
    if (first !== LATE) return first;
    takeLate(address, name);
    throw new NameTrouble("the name's gateways are being asked");
  }

  async #nameOf(
    address: Hex,
    signal: AbortSignal,
    onGateway: () => void,
  ): Promise<string | undefined> {
    const name = await this.#shown.claimedNameOf(address, { signal, onGateway });
    // Anyone can write anything into a reverse record, so only a normalized name counts.
    if (name === undefined || (await normalizeEns(name)) !== name) return undefined;
    const owner = await this.#shown.addressOf(name, { signal, onGateway });
    return owner?.toLowerCase() === address.toLowerCase() ? name : undefined;
  }

  /** @throws RetryableError, UserError */
  async #requireFresh(): Promise<void> {
    if (monotonicMs() < this.#freshUntil) return;
    await this.#node.requireUsable();
    this.#freshUntil = monotonicMs() + FRESH_MS;
  }
}

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
class UniversalResolver {
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
