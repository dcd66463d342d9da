/** Asks ENS, SNS and NFD. */

import type { TargetGuard } from '#base/json-http';
import { NAME_SERVICES } from '#names/verified-names';
import { Ens } from './ens/index.ts';
import { Nfd } from './nfd.ts';
import type { NameService } from './service.ts';
import { Sns } from './sns/index.ts';

export type { NameService } from './service.ts';

/** Where to look up names; a service without a URL isn't used. */
export interface NameAddresses {
  /** JSON-RPC URL of an Ethereum mainnet node, for ENS. */
  readonly ethereumRpcUrl: string | undefined;
  /** JSON-RPC URL of a Solana mainnet node, for SNS. */
  readonly solanaRpcUrl: string | undefined;
  /** Base URL of the API of NFDomains. */
  readonly nfdApiUrl: string | undefined;
  /** Per request. */
  readonly timeoutMs?: number;
}

export interface ServiceCheckResult {
  /** For example `ENS`. */
  readonly service: string;
  /** Undefined if it's usable. */
  readonly error: unknown;
}

/** Checks that the configured services can be used. */
export async function checkNameServices(
  addresses: NameAddresses,
  guard: TargetGuard,
): Promise<readonly ServiceCheckResult[]> {
  const checks = openServices(addresses, guard).map(async (service) => {
    const check = { service: NAME_SERVICES[service.chain] };
    try {
      await service.check();
      return { ...check, error: undefined };
    } catch (error) {
      return { ...check, error };
    } finally {
      await service.close();
    }
  });
  return await Promise.all(checks);
}

/**
 * Creates the configured services.
 * @param guard restricts where gateways may be, since owners of names choose them
 * @throws UserError `wrong-configuration`
 */
export function openServices(addresses: NameAddresses, guard: TargetGuard): readonly NameService[] {
  const { ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, timeoutMs } = addresses;
  const limits = timeoutMs === undefined ? {} : { timeoutMs };
  return [
    ...(ethereumRpcUrl === undefined ? [] : [new Ens({ url: ethereumRpcUrl, guard, ...limits })]),
    ...(solanaRpcUrl === undefined ? [] : [new Sns(solanaRpcUrl, timeoutMs)]),
    ...(nfdApiUrl === undefined ? [] : [new Nfd(nfdApiUrl, timeoutMs)]),
  ];
}
