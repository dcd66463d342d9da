import type { MaybePromise, PlatformId } from '#base';

/** A chat platform's delivery to one of the replicas. */
export interface Delivery {
  readonly platform: PlatformId;
  /** Id of the interaction or update; the platform may deliver it more than once. */
  readonly id: string;
  /** The JSON as received. It may contain short-lived secrets, so it's deleted once answered. */
  readonly body: string;
}

/** How long ids are remembered, to recognize duplicates. */
export const REMEMBERED_SECONDS = 3_600;
/** A delivery that crashed this many replicas is given up. */
export const MOST_TRIES = 3;

/**
 * Deliveries that aren't answered yet. The platform gets an acknowledgement immediately, so from
 * then on a delivery must survive the replica that accepted it. Methods throw RetryableError.
 */
export interface InboxStore {
  /** Stores a delivery for the replica. @returns false if any replica received it before */
  receive(delivery: Delivery, replica: string): MaybePromise<boolean>;
  /**
   * Whether the replica should still answer a delivery. False once it counted as dead and another
   * one took over, or once the delivery was settled.
   */
  isHeld(platform: Delivery['platform'], id: string, replica: string): MaybePromise<boolean>;
  /** Settles a delivery that was answered, or never will be: its body is deleted, its id kept. */
  settle(platform: Delivery['platform'], id: string): MaybePromise<void>;
  /**
   * Takes over deliveries of replicas that died or left (see WorkStore for who counts as dead),
   * oldest first, at most `limit`; those that crashed MOST_TRIES replicas are settled instead.
   * Deletes ids older than REMEMBERED_SECONDS.
   */
  takeOver(
    platform: Delivery['platform'],
    replica: string,
    limit: number,
  ): MaybePromise<readonly Delivery[]>;
}
