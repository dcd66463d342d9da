import type { IncomingMessage } from 'node:http';
import type { Config } from '#app/config';
import type { DataSources } from '#app/data/data-sources';
import type { Logger, PlatformId } from '#base';
import { type Account, WEB } from '#command';
import type { CommunityAdapter, DrawRankCard, MemberBoards } from '#gating';
import type { WalletParser } from '#wallet';
import { type CommunityGating, createBoards, createGating, tellingBoards } from './gating.ts';
import type { LinkedRoles, LinkedRolesParts } from './linked-roles.ts';
import { createWalletLinking, type WalletLinking } from './linking.ts';

interface MembersParts {
  readonly config: Config;
  readonly data: DataSources;
  readonly wallets: WalletParser;
  /** Public URL of this instance; may only be known once it listens. */
  readonly publicUrl: () => string;
  readonly adapterOf: (platform: PlatformId) => CommunityAdapter | undefined;
  readonly rankCard: DrawRankCard;
  /** The key under which a client's requests are counted. */
  readonly clientOf: (request: IncomingMessage) => string;
  readonly log: Logger;
}

/** Linking is about no community. */
const NOWHERE = '';

/** Everything about members' accounts: their wallets, and what depends on them. */
export interface MemberServices {
  readonly linking: WalletLinking;
  readonly gating: CommunityGating;
  readonly boards: MemberBoards;
  /** Undefined if no configured platform has them. */
  readonly linkedRoles: LinkedRoles | undefined;
  /** Looks at what an account's linked wallets give. */
  linksChanged(account: Account): void;
  /** Starts periodic work. */
  begin(): void;
  /** Stops it between two changes. */
  stop(): Promise<void>;
}

/** Assembles linking, gating and Linked Roles, which notify each other of changes. */
export async function createMemberServices(parts: MembersParts): Promise<MemberServices> {
  const { config, data, wallets, publicUrl, adapterOf, rankCard, clientOf, log } = parts;
  const { store, source, cluster, revision } = data;
  const { replica } = cluster;
  const counters = cluster.redis?.windows;
  const linking = createWalletLinking({
    ...{ config, wallets, publicUrl, replica, counters, log },
    store: store.links,
    platforms: config.platforms.map(({ platform }) => platform),
    onChange: linksChanged,
    async notify({ platform, id }, card) {
      const adapter = platform === WEB ? undefined : adapterOf(platform);
      return (await adapter?.notify?.(NOWHERE, id, card)) === true;
    },
    beforeErase: (account) => gating.gating.release(account),
  });
  const gating = createGating({
    ...{ source, wallets, adapterOf, revision, replica, log },
    thresholds: config.thresholds,
    store: tellingBoards(store.gating, () => boards),
    walletsOf: (account) => linking.walletsOf(account),
    announcedAmong: (...asked) => linking.announcedAmong(...asked),
    rankCard,
  });
  const boards = createBoards({
    ...{ store: store.gating, adapterOf },
    shownAmong: (...asked) => linking.shownAmong(...asked),
  });
  const linkedRoles = await linkedRolesOf(config, {
    ...{ store, source, wallets, replica, counters, clientOf, log },
  });
  function linksChanged(account: Account): void {
    boards.changed(account);
    gating.watch.linksChanged(account);
    linkedRoles?.changed(account);
  }
  return {
    linking,
    gating,
    boards,
    linkedRoles,
    linksChanged,
    begin() {
      void linking.runUpkeep();
      gating.begin();
      linkedRoles?.begin();
    },
    async stop() {
      await Promise.all([linking.stop(), gating.stop(), linkedRoles?.stop()]);
    },
  };
}

/** Loaded only if configured. */
async function linkedRolesOf(
  { platforms }: Config,
  parts: Omit<LinkedRolesParts, 'open' | 'publicUrl'>,
): Promise<LinkedRoles | undefined> {
  const [setup] = platforms.flatMap(({ roleConnections }) => roleConnections ?? []);
  if (setup === undefined) return undefined;
  const [{ createLinkedRoles }, open] = await Promise.all([
    import('./linked-roles.ts'),
    setup.load(),
  ]);
  return createLinkedRoles({ ...parts, open, publicUrl: () => setup.publicUrl });
}
