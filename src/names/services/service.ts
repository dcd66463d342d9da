import { RetryableError } from '#base';
import type { Chain } from '#wallet';

/**
 * Takes over a look-up that waits for servers chosen by the name's owner, so that its batch needn't wait. It
 * ends within a bounded time, and may be rejected.
 */
export type TakeLate = (address: string, name: Promise<string | undefined>) => void;

/** A name service for one chain's wallets. */
export interface NameService {
  readonly chain: Chain;
  /** The endings of its names, such as `.eth`. */
  readonly endings: readonly string[];
  /** Whether names may have other endings, too. */
  readonly takesOthers: boolean;
  /** Whether a name leads to every wallet that it's shown for; otherwise several may share one. */
  readonly leadsBack: boolean;
  /** How many wallets to look up at once. */
  readonly batchSize: number;
  /** Milliseconds between two batches. */
  readonly pauseMs: number;
  /** Normalizes a name; undefined if it can't be a name. */
  normalize(name: string): Promise<string | undefined>;
  /**
   * Looks up wallets' names and verifies them both ways.
   * @returns names by address, undefined for wallets without one; wallets that couldn't be looked up, or
   * whose look-up was taken over, are missing
   * @throws RetryableError if no wallet could be; UserError if the service is misconfigured
   */
  namesOf(
    addresses: readonly string[],
    signal: AbortSignal,
    takeLate: TakeLate,
  ): Promise<ReadonlyMap<string, string | undefined>>;
  /**
   * The canonical address of the wallet that a name leads to; undefined if there's none.
   * @param name normalized
   * @throws as `namesOf`
   */
  walletOf(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** Checks that the service can be used. @throws as `namesOf` */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A name can't be looked up because of something its owner chose, which doesn't affect other names. */
export class NameTrouble extends Error {
  override readonly name = 'NameTrouble';
}

/** Calls `nameOf` for each wallet. @throws what it throws, except NameTrouble */
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
  // Keep what was found before the service went down.
  if (found.size === 0 && failures.length > 0) throw failures[0];
  return found;
}

/** @throws RetryableError instead of NameTrouble */
export async function forOne<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NameTrouble) throw new RetryableError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Normalizes a name by ENSIP-15: lower case, composed, of one script, without invisible or confusable
 * characters. https://docs.ens.domains/ensip/15
 * @returns undefined if it can't be a name
 */
export async function normalizeEns(name: string): Promise<string | undefined> {
  // Loaded on demand: its tables take memory.
  const { normalize } = await import('viem/ens');
  try {
    const normal = normalize(name);
    return normal === '' || normal.startsWith('.') || normal.includes('..') ? undefined : normal;
  } catch {
    return undefined;
  }
}
