/**
 * Thrown where a batch would give wallets more than ACTIVITIES_MAX activities. It is to be rolled
 * back and written again without what is new of them: that is rare, and counting first would cost
 * every batch.
 */
export class TooManyActivities extends Error {
  override readonly name = 'TooManyActivities';
  /** Their numbers. */
  readonly wallets: ReadonlySet<number>;

  constructor(wallets: ReadonlySet<number>) {
    super('a wallet would have too many activities');
    this.wallets = wallets;
  }
}

export const NO_WALLETS: ReadonlySet<number> = new Set();
