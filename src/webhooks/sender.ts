import type { WebhookEvent } from './events.ts';
import type { OutgoingWebhook } from './webhook.ts';

/** The outcome of a request to a receiver. */
export interface SendResult {
  readonly isTaken: boolean;
  /** `HTTP 204`, or what went wrong. Contains nothing of the URL. */
  readonly result: string;
  /** It answered 410: it wants no more deliveries, ever. */
  readonly isGone?: boolean;
  /** The `Retry-After` header. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Sends requests to receivers. */
export interface WebhookSender {
  /** A delivery's id: the same for the same events, which their types and cursors identify. */
  idOf(webhookId: string, events: readonly WebhookEvent[]): string;
  /** Signs and sends. Never rejects; if the signal aborts it, it hasn't succeeded. */
  send(
    webhook: OutgoingWebhook,
    delivery: { readonly id: string; readonly events: readonly WebhookEvent[] },
    signal: AbortSignal,
  ): Promise<SendResult>;
}
