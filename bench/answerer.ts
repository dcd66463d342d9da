import { createGating } from '#app/gating';
import { createWalletLinking } from '#app/linking';
import { chains } from '#chains/index';
import { commands } from '#commands/index';
import { Answerer } from '#core/answerer';
import type { Logger } from '#core/logger';
import type { ReputationSource } from '#core/ports';
import type { Store } from '#core/store';
import { DEFAULT_THRESHOLDS } from '#core/tier';
import { createWalletParser } from '#core/wallet';
import { platforms } from '#platforms/index';

const refuse = () => {
  throw new Error('no keys here');
};

/** Answers commands over a store's data; issues no API keys. */
export function createAnswerer(store: Store, source: ReputationSource, log: Logger): Answerer {
  const wallets = createWalletParser(chains);
  const linking = createWalletLinking({
    config: { ethereumRpcUrl: undefined, algorandIndexerUrl: undefined },
    store: store.links,
    wallets,
    platforms,
    publicUrl: () => 'https://rep.example.org',
    log,
  });
  const { gating } = createGating({
    store: store.gating,
    source,
    wallets,
    walletsOf: (account) => linking.walletsOf(account),
    keeperOf: () => undefined,
    revision: () => undefined,
    log,
  });
  return new Answerer({
    commands,
    source,
    wallets,
    thresholds: DEFAULT_THRESHOLDS,
    keysOf: () => ({ issue: refuse, list: refuse, revoke: refuse }),
    linksOf: (caller) => linking.of(caller),
    gating,
    platforms,
    log,
  });
}
