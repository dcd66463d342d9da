import type { Chain } from '#core/chain';
import type { LedgerActivity, LedgerBatch } from '#core/ports';
import type { TierThresholds } from '#core/tier';
import type { PackedError } from './thread-errors.ts';

/** What the two threads of an import say to each other. */

/** What the thread of the ledger is started with. */
export interface LedgerThreadData {
  readonly databaseUrl: string;
  readonly thresholds: TierThresholds;
}

/** A question; every one is answered once, in order. */
export type Request =
  | { readonly ask: 'knownBadges' | 'commit' | 'finish' }
  | { readonly ask: 'stage'; readonly part: PackedBatch };

export type Reply = { readonly value: unknown } | { readonly error: PackedError };

/** Activities column by column: copying them from thread to thread is five times faster so. */
interface PackedBatch extends Omit<LedgerBatch, 'activities'> {
  readonly ids: string[];
  readonly chains: Chain[];
  readonly addresses: string[];
  readonly types: string[];
  readonly descriptions: string[];
  readonly points: Float64Array;
  readonly timestamps: Float64Array;
  readonly badgeIds: (string | undefined)[];
}

export function packBatch({ badges, names, activities }: LedgerBatch): PackedBatch {
  return {
    badges,
    names,
    ids: activities.map((each) => each.id),
    chains: activities.map((each) => each.wallet.chain),
    addresses: activities.map((each) => each.wallet.address),
    types: activities.map((each) => each.type),
    descriptions: activities.map((each) => each.description),
    points: Float64Array.from(activities, (each) => each.points),
    timestamps: Float64Array.from(activities, (each) => each.timestamp),
    badgeIds: activities.map((each) => each.badge),
  };
}

export function unpackBatch(packed: PackedBatch): LedgerBatch {
  const activities = packed.ids.map(
    (id, i): LedgerActivity => ({
      id,
      wallet: { chain: packed.chains[i] as Chain, address: packed.addresses[i] as string },
      type: packed.types[i] as string,
      description: packed.descriptions[i] as string,
      points: packed.points[i] as number,
      timestamp: packed.timestamps[i] as number,
      badge: packed.badgeIds[i],
    }),
  );
  return { badges: packed.badges, names: packed.names, activities };
}
