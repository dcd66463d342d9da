/**
 * Texts that one replica keeps for all. It may forget any of them at any time, and one that can't be
 * had holds nothing: neither method ever throws.
 */
export interface SharedAnswers {
  get(key: string): Promise<string | undefined>;
  /** Texts of more than 512 KiB are not kept. @param ttlMs how long it may be kept, 1 or more */
  set(key: string, text: string, ttlMs: number): Promise<void>;
}
