/**
 * A cache shared by all replicas. It may forget anything at any time, and is empty while
 * unavailable: methods never throw.
 */
export interface SharedAnswers {
  get(key: string): Promise<string | undefined>;
  /** Texts above 512 KiB aren't stored. @param ttlMs time to live, 1 or more */
  set(key: string, text: string, ttlMs: number): Promise<void>;
}

/**
 * A rate budget shared by all replicas, for an outside service that limits them together: so many
 * slots per period. All by one clock, so the replicas' clocks may differ.
 */
export interface SharedBudget {
  /**
   * Reserves the next of at most `most` slots in any `lengthMs`. It counts whether it's used or
   * not. Slots are exactly one period apart; add a margin for network delays by choosing a longer
   * period.
   * @param key identifies the budget, which always has the same period
   * @param most 1 to 1000; more counts as 1000, and Infinity means no limit
   * @returns milliseconds to wait for the slot; 0 for none
   * @throws RetryableError if the budget is unavailable: the caller then limits itself to its share
   */
  take(key: string, most: number, lengthMs: number): Promise<number>;
  /**
   * Grants no slots for the next `ms` milliseconds; slots already granted stay valid.
   * @param ms at most a day
   * @throws RetryableError if the other replicas can't be told now
   */
  block(key: string, ms: number): Promise<void>;
}
