/**
 * A cache shared by all replicas. It may forget anything at any time, and is empty while
 * unavailable: methods never throw.
 */
export interface SharedAnswers {
  get(key: string): Promise<string | undefined>;
  /** Texts above 512 KiB aren't stored. @param ttlMs time to live, 1 or more */
  set(key: string, text: string, ttlMs: number): Promise<void>;
}
