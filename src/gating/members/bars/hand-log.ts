/** Something that someone other than the bot has given or taken on the platform. */
export interface HandChange {
  readonly step: 'given' | 'removed';
  readonly account: string;
  /** A role's id. */
  readonly grant: string;
  /** Their account; undefined if the platform doesn't say. */
  readonly by: string | undefined;
}

/** An entry of the platform's own log. */
export interface HandEntry {
  /** A whole number; newer entries have higher ones. */
  readonly id: string;
  /** Seconds since 1970; undefined if the log doesn't say. */
  readonly at?: number | undefined;
  readonly changes: readonly HandChange[];
}

/** A part of the log; `upTo` is the newest entry known with it, undefined if nothing is known of the log. */
interface HandPage {
  readonly entries: readonly HandEntry[];
  readonly upTo: string | undefined;
}

/** What a platform keeps of what people gave and took there. */
export interface HandLog {
  /** Whether new entries are reported to this process now, as they come. */
  isReported(community: string): boolean;
  /**
   * A page of it, oldest entries first.
   * @param after the newest entry that's known; undefined to learn only how far the log goes
   * @returns undefined if the bot may not see it
   * @throws RetryableError
   */
  read(community: string, after: string | undefined): Promise<HandPage | undefined>;
}
