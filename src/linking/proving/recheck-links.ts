import { type Elapsed, type Logger, messageOf, RetryableError } from '#base';
import type { Challenger } from '#linking/challenge/challenger';
import type { Link } from '#linking/link-records';
import { decideProofLost } from '#linking/rules';
import type { LinkStore } from '#linking/store';
import { isDelegateLinked } from '#linking/vaults';
import { countNegative, isConfirmed, type NegativeReadings } from '#reputation';

/** Seconds between checks of a proof, and after a negative one. */
const CHECK_EVERY = 86_400;
const RECHECK_EVERY = 3_600;
/** Checks per run; the next run continues. */
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
 * Rechecks proofs that can become invalid: a contract's owners change, an account is rekeyed. A
 * link is only removed after several consecutive negative responses, an hour apart; without a
 * response nothing changes.
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
    if (link.proof.by === 'delegation' && !(await isDelegateLinked(store, link))) {
      // Only if a replica that knows no delegations unlinked its delegate. We know that ourselves.
      await store.change(link.wallet, link.account, (situation) =>
        decideProofLost(situation, link, now()),
      );
      continue;
    }
    const holds = await stillHolds(link, challenger, log);
    const at = now();
    if (holds === undefined) {
      // Due again after an hour, behind those never tried.
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
 * The stored negative checks: their number, and the time of the last. Two are at least an hour
 * apart, so the first can't have been later than this.
 */
function readingsOf({ strikes, checkedAt }: Link): NegativeReadings | undefined {
  if (strikes === 0) return undefined;
  const lastAt = checkedAt + CHECK_EVERY - RECHECK_EVERY;
  return { reads: strikes, firstAt: lastAt - (strikes - 1) * RECHECK_EVERY, lastAt };
}

/** Undefined if unknown. */
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
