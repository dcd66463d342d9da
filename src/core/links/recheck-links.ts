import type { Elapsed } from '#core/clock';
import { messageOf, RetryableError } from '#core/errors';
import type { Challenger } from '#core/links/challenger';
import type { Link } from '#core/links/records';
import { decideProofLost } from '#core/links/rules';
import type { LinkStore } from '#core/links/store';
import type { Logger } from '#core/logger';
import { countNegative, isConfirmed, type NegativeReadings } from '#core/negative-readings';

/** Seconds after which a proof is checked again, and after a check that said no. */
const CHECK_EVERY = 86_400;
const RECHECK_EVERY = 3_600;
/** Checks in one run; the next run goes on. */
const AT_ONCE = 200;

export interface CheckingOptions {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  /** Ends a run early. */
  readonly signal: AbortSignal;
}

/**
 * Checks again the proofs that may have ceased to hold: the owners of a contract change, an account
 * is rekeyed. A link goes only after several plain answers in a row, an hour apart, that say no; where
 * none can be had nothing changes.
 */
export async function recheckLinks({
  store,
  challenger,
  log,
  now,
  elapsed,
  signal,
}: CheckingOptions): Promise<void> {
  for (const link of await store.linksToCheck(now() - CHECK_EVERY, now(), AT_ONCE)) {
    if (signal.aborted) return;
    const holds = await stillHolds(link, challenger, log);
    const at = now();
    if (holds === undefined) {
      // Next in line again after an hour, behind those that were never tried.
      await store.noteCheck(link, at - CHECK_EVERY + RECHECK_EVERY, link.strikes);
      continue;
    }
    if (holds) {
      await store.noteCheck(link, at, 0);
      continue;
    }
    const counted = countNegative(readingsOf(link), at, elapsed);
    if (!isConfirmed(counted, elapsed)) {
      await store.noteCheck(link, at - CHECK_EVERY + RECHECK_EVERY, counted.reads);
    } else {
      await store.change(link.wallet, link.account, (situation) =>
        decideProofLost(situation, link, at),
      );
      log.info({ chain: link.wallet.chain }, 'unlinked a wallet: its proof is no longer valid');
    }
  }
}

/**
 * What the store keeps of the checks that said no: how many, and when the last one was. Two of them
 * are an hour apart at least, so the first can't have been later than this.
 */
function readingsOf({ strikes, checkedAt }: Link): NegativeReadings | undefined {
  if (strikes === 0) return undefined;
  const lastAt = checkedAt + CHECK_EVERY - RECHECK_EVERY;
  return { reads: strikes, firstAt: lastAt - (strikes - 1) * RECHECK_EVERY, lastAt };
}

/** Undefined when it can't be told. */
async function stillHolds(
  link: Link,
  challenger: Challenger,
  log: Logger,
): Promise<boolean | undefined> {
  try {
    return await challenger.stillHolds(link.proof);
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    log.debug({ error: messageOf(error) }, 'could not check a proof');
    return undefined;
  }
}
