/** By which days begin, and counts are due. */
export interface GainClocks {
  /** Seconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds. */
  readonly monotonic?: () => number;
}
