import { PLATFORMS } from '#app/config';
import { createWalletLinking, type LinkingParts, type WalletLinking } from '#app/members/linking';
import type { LinkStore } from '#linking/store';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openMemoryStore, partOfMemoryStore } from './empty-store.ts';
import { silentLog } from './log.ts';

/** The public URL of the instance under test. */
export const PUBLIC_URL = 'https://rep.example.org';

/** An in-memory store of links only. */
export function linkStore(): LinkStore {
  return openMemoryStore().links;
}

/** The real linking of wallets; any part can be replaced. */
export function linkingWith({ config, ...changes }: Partial<LinkingParts> = {}): WalletLinking {
  // Used by the provers, so that their requests never time out on a busy machine.
  const patient = { timeoutMs: 60_000 };
  return createWalletLinking({
    config: { ethereumRpcUrl: undefined, algorandIndexerUrl: undefined, ...config, ...patient },
    store: changes.store ?? partOfMemoryStore('links'),
    wallets: createWalletParser(chains),
    platforms: PLATFORMS,
    publicUrl: () => PUBLIC_URL,
    log: silentLog,
    ...changes,
  });
}
