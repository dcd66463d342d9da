import type { MaybePromise } from '#core/maybe-promise';
import type { WebhookEvent } from './events.ts';
import type { OutgoingWebhook, WebhookPause, WebhookSettings } from './webhook.ts';

/** An event that was read from the feed and waits: its wallet has a delivery that failed. */
export interface HeldEvent {
  /** In the order of the feed. */
  readonly number: number;
  readonly event: WebhookEvent;
}

/** A delivery that isn't taken yet. */
export interface HeldDelivery {
  /** In the order in which they were put together. */
  readonly number: number;
  readonly id: string;
  readonly events: readonly WebhookEvent[];
  readonly failures: number;
  /** How long it has failed while it could be sent. */
  readonly failingSeconds: number;
}

/** How an attempt ended; kept for the operator. */
export interface WebhookAttempt {
  /** Seconds since 1970. */
  readonly at: number;
  readonly delivery: string;
  readonly events: number;
  readonly isTaken: boolean;
  /** `HTTP 204`, or what went wrong. */
  readonly result: string;
  readonly milliseconds: number;
}

/** A webhook with what waits. */
export interface WebhookSummary extends OutgoingWebhook {
  /** Events that were read but not delivered. */
  readonly held: number;
  readonly lastAttempt: WebhookAttempt | undefined;
}

/** Where deliveries of a webhook go on. */
export interface WebhookProgress {
  /** Names this holder: what an earlier one commits from now on is refused. */
  readonly round: number;
  /** Everything up to here was delivered or is held. */
  readonly cursor: string;
  readonly deliveries: readonly HeldDelivery[];
  readonly events: readonly HeldEvent[];
}

/** What has happened since the last commit. */
export interface WebhookCommit {
  readonly cursor: string;
  /** Replace those of the same number. */
  readonly deliveries: readonly HeldDelivery[];
  readonly events: readonly HeldEvent[];
  /** Numbers of what no longer waits. */
  readonly droppedDeliveries: readonly number[];
  readonly droppedEvents: readonly number[];
  readonly attempts: readonly WebhookAttempt[];
  readonly pause?: WebhookPause | undefined;
}

/** Attempts of a webhook that are kept. */
export const KEPT_ATTEMPTS = 100;

/** Webhooks and what they have not delivered. Methods throw RetryableError. */
export interface WebhookStore {
  /** It gets what's committed from now on. @throws UserError `webhook-limit` */
  add(
    webhook: WebhookSettings & Pick<OutgoingWebhook, 'id' | 'secret' | 'createdAt'>,
  ): MaybePromise<void>;
  /** All, oldest first. */
  list(): MaybePromise<WebhookSummary[]>;
  /**
   * Replaces the secret; the present one signs too for `until` seconds since 1970.
   * @throws UserError `webhook-not-found`
   */
  rotate(id: string, secret: string, until: number): MaybePromise<void>;
  /** Removes it with all that it holds. @throws UserError `webhook-not-found` */
  remove(id: string): MaybePromise<void>;
  /**
   * Ends a pause: what failed counts as new.
   * @param skip drops what's held, and goes on with what comes next
   * @throws UserError `webhook-not-found`
   */
  resume(id: string, skip: boolean): MaybePromise<void>;
  /** Newest first, at most KEPT_ATTEMPTS. @throws UserError `webhook-not-found` */
  attempts(id: string): MaybePromise<WebhookAttempt[]>;
  /** Begins a round. @returns undefined if it's paused or removed */
  begin(id: string): MaybePromise<WebhookProgress | undefined>;
  /**
   * Writes all of it in one transaction.
   * @returns false, with nothing written, if the round is over: another holder has begun one, or the
   *   webhook was paused, resumed or removed
   */
  commit(id: string, round: number, commit: WebhookCommit): MaybePromise<boolean>;
}
