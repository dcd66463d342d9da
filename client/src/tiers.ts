import { WalletNotFoundError } from './errors.ts';
import type { Result } from './freshness.ts';
import type { Reputation, Tier } from './types.ts';

/** Lowest first; a tier without a place here is a compile error. */
const PLACES: Readonly<Record<Tier, number>> = {
  Shrimp: 0,
  Dolphin: 1,
  Shark: 2,
  Whale: 3,
  Titan: 4,
};

/**
 * Whether a wallet has at least this tier, by a result of `reputation` or `reputations`: undefined while that
 * can't be known, as data is stale or partial, or the result is an error other than "not found", or has no tier that
 * this client knows.
 * @throws RangeError if there is no such tier as the one asked for
 */
export function hasTier(found: Result<Reputation> | Error, tier: Tier): boolean | undefined {
  const wanted = requirePlace(tier);
  const isUnseen = found instanceof WalletNotFoundError;
  if (found instanceof Error && !isUnseen) return undefined;
  if (found.stale || found.partial) return undefined;
  if (isUnseen) return false;
  const place = placeOf(found.tier);
  return place === undefined ? undefined : place >= wanted;
}

/** @throws RangeError if there is no such tier */
export function requirePlace(tier: Tier): number {
  const place = placeOf(tier);
  if (place !== undefined) return place;
  throw new RangeError(`There is no tier ${tier}: it's one of ${Object.keys(PLACES).join(', ')}.`);
}

/** What comes from elsewhere may be anything. */
function placeOf(tier: unknown): number | undefined {
  return typeof tier === 'string' && Object.hasOwn(PLACES, tier) ? PLACES[tier as Tier] : undefined;
}
