import { hash } from 'node:crypto';
import type { AgreedSettings } from '#cluster';
import type { Config } from './config.ts';

/** Enough to tell settings apart, too little to find out what they are. */
const DIGITS = 12;

/** What all replicas of an instance must have the same: wallets, members and clients meet any of them. */
export function agreedSettings(config: Config): AgreedSettings {
  const { thresholds, upstream, publicUrl, explorers, rateLimits, keptChanges } = config;
  const values = {
    TIERS: thresholds,
    UPSTREAM_URL: upstream?.url,
    PUBLIC_URL: publicUrl,
    EXPLORERS: explorers && [...explorers],
    RATE_LIMIT_PUBLIC: rateLimits.public,
    RATE_LIMIT_KEY: rateLimits.key,
    CHANGES_DAYS: keptChanges.age,
    CHANGES_MAX: keptChanges.count,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      hash('sha256', JSON.stringify(value ?? null)).slice(0, DIGITS),
    ]),
  );
}
