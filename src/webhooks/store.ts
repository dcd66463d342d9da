import type { MaybePromise } from '#base';
import type { OutgoingWebhook, WebhookEvent, WebhookPause, WebhookSettings } from './webhook.ts';

/** An event that was read and is held, because its wallet has a failed delivery. */
export interface HeldEvent {
  /** In the order of the feed. */
  readonly number: number;
  readonly event: WebhookEvent;
}

/** A delivery that hasn't succeeded yet. */
export interface HeldDelivery {
  /** In the order they were composed. */
  readonly number: number;
  readonly id: string;
  readonly events: readonly WebhookEvent[];
  readonly failures: number;
  /** For how long it has failed while it could be sent. */
  readonly failingSeconds: number;
}

/** The outcome of an attempt, kept for operators. */
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

/** A webhook, and how much it holds. */
export interface WebhookSummary extends OutgoingWebhook {
  /** Events that were read but not delivered. */
  readonly held: number;
  readonly lastAttempt: WebhookAttempt | undefined;
}

/** Where a webhook's deliveries continue. */
export interface WebhookProgress {
  /** Identifies this holder: from now on, commits by earlier holders are rejected. */
  readonly round: number;
  /** Everything up to here has been delivered or is held. */
  readonly cursor: string;
  readonly deliveries: readonly HeldDelivery[];
  readonly events: readonly HeldEvent[];
}

/** The changes since the last commit. */
export interface WebhookCommit {
  readonly cursor: string;
  /** Added, or replacing those with the same number. */
  readonly deliveries: readonly HeldDelivery[];
  readonly events: readonly HeldEvent[];
  /** Numbers of deliveries that no longer wait. */
  readonly droppedDeliveries: readonly number[];
  readonly droppedEvents: readonly number[];
  readonly attempts: readonly WebhookAttempt[];
  readonly pause?: WebhookPause | undefined;
}

/** When a secret is replaced. */
interface SecretRotation {
  /** Now, in seconds since 1970. */
  readonly at: number;
  /** How long the replaced secret signs, in seconds since 1970. */
  readonly until: number;
  /** Whether an even older secret that still signs stops doing so; otherwise nothing is replaced. */
  readonly endsOlder: boolean;
}

/** How many attempts to keep per webhook. */
export const KEPT_ATTEMPTS = 100;

/** Webhooks and their undelivered events. Methods throw RetryableError. */
export interface WebhookStore {
  /** It gets everything committed from now on. @throws UserError `webhook-limit` */
  add(
    webhook: WebhookSettings & Pick<OutgoingWebhook, 'id' | 'secret' | 'createdAt'>,
  ): MaybePromise<void>;
  /** All webhooks, oldest first. */
  list(): MaybePromise<WebhookSummary[]>;
  /**
   * Replaces the secret; the old one keeps signing for a while.
   * @throws UserError `webhook-not-found`; `webhook-rotating` while the secret before the old one still signs
   */
  rotate(id: string, secret: string, rotation: SecretRotation): MaybePromise<void>;
  /** Removes it with everything it holds. @throws UserError `webhook-not-found` */
  remove(id: string): MaybePromise<void>;
  /**
   * Ends a pause and resets the failures.
   * @param skip drops what's held, and continues with the next change
   * @throws UserError `webhook-not-found`
   */
  resume(id: string, skip: boolean): MaybePromise<void>;
  /** Pauses all that aren't paused yet. @returns how many there are */
  pauseAll(pause: WebhookPause): MaybePromise<number>;
  /** Newest first, at most KEPT_ATTEMPTS. @throws UserError `webhook-not-found` */
  attempts(id: string): MaybePromise<WebhookAttempt[]>;
  /** Begins a round. @returns undefined if it's paused or removed */
  begin(id: string): MaybePromise<WebhookProgress | undefined>;
  /**
   * Writes everything in one transaction.
   * @returns false, with nothing written, if the round is over: another holder has begun one, or the webhook
   * was paused, resumed or removed
   */
  commit(id: string, round: number, commit: WebhookCommit): MaybePromise<boolean>;
}
