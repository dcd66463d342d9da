import { createWalletLinking, type LinkingParts, type WalletLinking } from '#app/linking';
import { chains } from '#chains/index';
import type { LinkStore } from '#core/links/store';
import { DEFAULT_THRESHOLDS } from '#core/tier';
import { createWalletParser } from '#core/wallet';
import { platforms } from '#platforms/index';
import { openSqliteStore } from '#stores/sqlite/index';
import { silentLog } from './log.ts';

/** Where the instance under test says that it is. */
export const PUBLIC_URL = 'https://rep.example.org';

/** A store of links alone, in memory. */
export function linkStore(): LinkStore {
  return openSqliteStore(':memory:', { thresholds: DEFAULT_THRESHOLDS, log: silentLog }).links;
}

/** The real linking of wallets, with any part replaced. */
export function linkingWith({ config, ...changes }: Partial<LinkingParts> = {}): WalletLinking {
  // Read by the provers: what they ask is answered in time, however busy the machine is.
  const patient = { timeoutMs: 60_000 };
  return createWalletLinking({
    config: { ethereumRpcUrl: undefined, algorandIndexerUrl: undefined, ...config, ...patient },
    store: changes.store ?? linkStore(),
    wallets: createWalletParser(chains),
    platforms,
    publicUrl: () => PUBLIC_URL,
    log: silentLog,
    ...changes,
  });
}
