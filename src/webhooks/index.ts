/** Which changes go to whom, in which order. */

export { Channel, type ChannelTimings } from './channel.ts';
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
  bodyOf,
  MAX_WEBHOOKS,
  ROTATION_SECONDS,
  type SendResult,
  signingSecrets,
  WEBHOOK_EVENTS,
  type WebhookEventType,
  type WebhookPause,
  type WebhookSender,
  type WebhookSettings,
} from './webhook.ts';
