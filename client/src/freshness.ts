/** What the service knows about how current and complete its data is. */
export interface Freshness {
  /** Newer data may exist. While it's true, a score may be out of date and "not found" may be wrong. */
  readonly stale: boolean;
  /** Chains are still being read: scores are incomplete, and wallets may be missing. */
  readonly partial: boolean;
}

/** A record of the API, with what the service knows about its data. */
export type Result<T> = T & Freshness;

export function freshnessOf(headers: Headers): Freshness {
  return {
    stale: headers.get('reputation-status') === 'stale',
    partial: headers.get('fathom-data') === 'partial',
  };
}
