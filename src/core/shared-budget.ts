/**
 * Places in time that all replicas share, for what an outside service allows them together: so many
 * in any stretch of so long. All by one clock, so that the replicas' own may differ.
 */
export interface SharedBudget {
  /**
   * Takes the next place of at most `most` in any stretch of `lengthMs`. It is counted whether it is
   * used or not. Places are a stretch apart when they are told; who needs more certainty than the
   * network gives asks for a longer stretch.
   * @param key tells it from other budgets; one budget always has the same length
   * @param most 1 to 1000; more count as 1000, and Infinity is no limit at all
   * @returns milliseconds to wait for the place; 0 for at once
   * @throws RetryableError when it can't be told now: the caller then keeps to a share of its own
   */
  take(key: string, most: number, lengthMs: number): Promise<number>;
  /**
   * Gives no place in the next `ms` milliseconds; what was told before stays as it is.
   * @param ms a day at the most
   * @throws RetryableError when the others can't be told now
   */
  block(key: string, ms: number): Promise<void>;
}
