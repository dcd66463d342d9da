import { PLATFORMS } from '#app/config';
import { createBoards, createGating } from '#app/members/gating';
import { createWalletLinking } from '#app/members/linking';
import type { Logger } from '#base/log';
import { wallMs } from '#base/time/clock';
import { Answerer } from '#commands/answering/answerer';
import { commands } from '#commands/index';
import type { ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import type { Store } from '#storage/store';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';

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
    platforms: PLATFORMS,
    publicUrl: () => 'https://rep.example.org',
    log,
  });
  const { gating } = createGating({
    store: store.gating,
    source,
    wallets,
    thresholds: DEFAULT_THRESHOLDS,
    walletsOf: (account) => linking.walletsOf(account),
    adapterOf: () => undefined,
    announcedAmong: async () => new Set(),
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
    boards: createBoards({
      store: store.gating,
      adapterOf: () => undefined,
      shownAmong: (...asked) => linking.shownAmong(...asked),
    }),
    platforms: PLATFORMS,
    log,
    clock: wallMs,
  });
}
