/** Which changes go to whom, in which order. */

export { Channel, type ChannelTimings } from './channel.ts';
export { bodyOf } from './events.ts';
export type { SendResult, WebhookSender } from './sender.ts';
export {
  type HeldDelivery,
  type HeldEvent,
  KEPT_ATTEMPTS,
  type WebhookAttempt,
  type WebhookCommit,
  type WebhookStore,
  type WebhookSummary,
} from './store.ts';
export {
  MAX_WEBHOOKS,
  ROTATION_SECONDS,
  signingSecrets,
  WEBHOOK_EVENTS,
  type WebhookEventType,
  type WebhookPause,
  type WebhookSettings,
} from './webhook.ts';
