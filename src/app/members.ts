import type { IncomingMessage } from 'node:http';
import type { Config } from '#app/config';
import type { GateKeeper } from '#core/gating/keeper';
import type { Logger } from '#core/logger';
import type { PlatformId } from '#core/platform';
import type { WalletParser } from '#core/wallet';
import type { Data } from './data.ts';
import { type CommunityGating, createGating } from './gating.ts';
import type { LinkedRoles, LinkedRolesParts } from './linked-roles.ts';
import { createWalletLinking, type WalletLinking } from './linking.ts';

interface MembersParts {
  readonly config: Config;
  readonly data: Data;
  readonly wallets: WalletParser;
  /** Where others reach this instance; may be known only once it listens. */
  readonly publicUrl: () => string;
  readonly keeperOf: (platform: PlatformId) => GateKeeper | undefined;
  /** What stands for the client of a request in the count of its requests. */
  readonly clientOf: (request: IncomingMessage) => string;
  readonly log: Logger;
}

/** What members' accounts are for: wallets that are theirs, and what follows from those. */
export interface MemberServices {
  readonly linking: WalletLinking;
  readonly gating: CommunityGating;
  /** Undefined where no platform that is configured has such a thing. */
  readonly linkedRoles: LinkedRoles | undefined;
  /** Begins what is done from time to time. */
  begin(): void;
  /** Ends it between two changes. */
  stop(): Promise<void>;
}

/** Puts linking, gating and Linked Roles together, each of which hears what the others change. */
export async function createMemberServices(parts: MembersParts): Promise<MemberServices> {
  const { config, data, wallets, publicUrl, keeperOf, clientOf, log } = parts;
  const { store, source, sharing, revision } = data;
  const { replica } = sharing;
  const counters = sharing.redis?.windows;
  const linking = createWalletLinking({
    ...{ config, wallets, publicUrl, replica, counters, log },
    store: store.links,
    platforms: config.platforms.map(({ platform }) => platform),
    onChange(account) {
      gating.watch.linksChanged(account);
      linkedRoles?.changed(account);
    },
    async beforeErase(account) {
      await gating.gating.release(account);
      await linkedRoles?.leaving(account);
    },
  });
  const gating = createGating({
    ...{ source, wallets, keeperOf, revision, replica, log },
    store: store.gating,
    walletsOf: (account) => linking.walletsOf(account),
  });
  const linkedRoles = await linkedRolesOf(config, {
    ...{ store, source, wallets, replica, counters, clientOf, log },
  });
  return {
    linking,
    gating,
    linkedRoles,
    begin() {
      void linking.tend();
      gating.begin();
      linkedRoles?.begin();
    },
    async stop() {
      await Promise.all([linking.stop(), gating.stop(), linkedRoles?.stop()]);
    },
  };
}

/** Its code is loaded only for who wants it. */
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
