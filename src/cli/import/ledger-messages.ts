import type { Chain } from '#core/chain';
import { messageOf, RetryableError, UserError, type UserErrorCode } from '#core/errors';
import type { LedgerActivity, LedgerBatch } from '#core/ports';
import type { TierThresholds } from '#core/tier';

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

/** An error as it crosses: the class is lost on the way, and with it what the caller does next. */
type PackedError =
  | { readonly kind: 'user'; readonly message: string; readonly code: UserErrorCode }
  | { readonly kind: 'retryable'; readonly message: string; readonly retryAfter: number }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string | undefined };

export function packError(error: unknown): PackedError {
  const message = messageOf(error);
  if (error instanceof UserError) return { kind: 'user', message, code: error.code };
  if (error instanceof RetryableError) {
    return { kind: 'retryable', message, retryAfter: error.retryAfter };
  }
  return { kind: 'bug', message, stack: error instanceof Error ? error.stack : undefined };
}

export function unpackError(packed: PackedError): Error {
  switch (packed.kind) {
    case 'user':
      return new UserError(packed.code, packed.message);
    case 'retryable':
      return new RetryableError(packed.message, { retryAfter: packed.retryAfter });
    case 'bug': {
      const error = new Error(packed.message);
      if (packed.stack !== undefined) error.stack = packed.stack;
      return error;
    }
  }
}
