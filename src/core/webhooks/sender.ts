import type { WebhookEvent } from './events.ts';
import type { OutgoingWebhook } from './webhook.ts';

/** How a request to a receiver ended. */
export interface SendResult {
  readonly isTaken: boolean;
  /** `HTTP 204`, or what went wrong. Contains nothing of the URL. */
  readonly result: string;
  /** What `Retry-After` says. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Talks to receivers. */
export interface WebhookSender {
  /** The id of a delivery: the same events always have the same one. */
  idOf(webhookId: string, events: readonly WebhookEvent[]): string;
  /** Signs and sends. Never rejects; if the signal aborts it, it isn't taken. */
  send(
    webhook: OutgoingWebhook,
    delivery: { readonly id: string; readonly events: readonly WebhookEvent[] },
    signal: AbortSignal,
  ): Promise<SendResult>;
}
