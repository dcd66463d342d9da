import type { MaybePromise } from '#core/maybe-promise';
import type { PlatformId } from '#core/platform';

/** Something that a chat platform delivered to one of the replicas. */
export interface Delivery {
  readonly platform: PlatformId;
  /** Of the interaction or the update; the platform may deliver it more than once. */
  readonly id: string;
  /** JSON, as it came. It may hold secrets of the moment, so it is gone once it was answered. */
  readonly body: string;
}

/** How long an id is remembered, so that what comes again is known. */
export const REMEMBERED_SECONDS = 3_600;
/** A delivery that has ended so many replicas is given up. */
export const MOST_TRIES = 3;

/**
 * What was delivered and is not answered yet. Whoever delivers is told at once that it was taken,
 * so from then on it must survive the replica that took it. Throws RetryableError.
 */
export interface InboxStore {
  /** Takes a delivery in for the replica. @returns false if it came before, to whichever replica */
  receive(delivery: Delivery, replica: string): MaybePromise<boolean>;
  /**
   * Whether the replica is still the one to answer a delivery. Not any more once it counted as dead
   * and another one took the delivery over, or once the delivery was settled.
   */
  isHeld(platform: Delivery['platform'], id: string, replica: string): MaybePromise<boolean>;
  /** It was answered, or never will be: its body is forgotten, its id is not. */
  settle(platform: Delivery['platform'], id: string): MaybePromise<void>;
  /**
   * Takes over what replicas that died or left have not answered (see WorkStore for who counts as
   * dead), oldest first, at most `limit`; what ended MOST_TRIES replicas is settled instead. Forgets
   * what is older than REMEMBERED_SECONDS.
   */
  takeOver(
    platform: Delivery['platform'],
    replica: string,
    limit: number,
  ): MaybePromise<readonly Delivery[]>;
}
