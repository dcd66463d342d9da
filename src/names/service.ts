import type { Chain } from '#core/chain';
import { RetryableError } from '#core/errors';

/** One name service, which knows the wallets of one chain. */
export interface NameService {
  readonly chain: Chain;
  /** What its names end with, such as `.eth`. */
  readonly endings: readonly string[];
  /** Whether it may know names with other endings, too. */
  readonly takesOthers: boolean;
  /** How many wallets to ask for at once. */
  readonly batchSize: number;
  /** Milliseconds between two batches. */
  readonly pauseMs: number;
  /** The one form of a name; undefined for what can't be a name. */
  normalize(name: string): Promise<string | undefined>;
  /**
   * Looks up wallets' names and verifies each both ways.
   * @returns by address; undefined for wallets without a name. Those that couldn't be looked up are
   *   missing.
   * @throws RetryableError if none could be; UserError if the service is configured wrongly
   */
  namesOf(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string | undefined>>;
  /**
   * The canonical address of the wallet that a name leads to; undefined if there's none.
   * @param name normalized
   * @throws as `namesOf`
   */
  walletOf(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** Whether the service can be used. @throws as `namesOf` */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** One name can't be looked up, because of what its owner chose: that says nothing of the others. */
export class NameTrouble extends Error {
  override readonly name = 'NameTrouble';
}

/** The names that `nameOf` finds, each on its own. @throws what it throws beside NameTrouble */
export async function namesOfEach(
  addresses: readonly string[],
  nameOf: (address: string) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  const failures: unknown[] = [];
  await Promise.all(
    addresses.map(async (address) => {
      try {
        found.set(address, await nameOf(address));
      } catch (error) {
        if (!(error instanceof NameTrouble)) failures.push(error);
      }
    }),
  );
  // What was found is kept if the service went away in between.
  if (found.size === 0 && failures.length > 0) throw failures[0];
  return found;
}

/** @throws RetryableError in place of NameTrouble */
export async function forOne<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NameTrouble) throw new RetryableError(error.message, { cause: error });
    throw error;
  }
}
