import { type ChangeEntry, TIERS, type Tier, type WalletChange } from '#reputation';
import type { Chain } from '#wallet';

export const WEBHOOK_EVENTS = ['tier.changed', 'score.changed', 'badge.earned'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** The most webhooks of an instance: each may have several requests under way. */
export const MAX_WEBHOOKS = 50;
/** Concurrent requests of a webhook. */
export const MAX_REQUESTS = 4;
/** How long both secrets sign after a rotation. */
export const ROTATION_SECONDS = 86_400;

/** The settings that an operator chose. */
export interface WebhookSettings {
  readonly url: string;
  /** At least one. */
  readonly events: readonly WebhookEventType[];
  readonly chain: Chain | 'all';
  /** Only changes for which the tier before or after is at least this one. */
  readonly minTier: Tier | undefined;
}

/** A webhook as it's stored. */
export interface OutgoingWebhook extends WebhookSettings {
  /** `wh_` and 20 hex digits. */
  readonly id: string;
  /** `whsec_` and base64; stored in plain text, since it's needed for signing. Never logged or listed. */
  readonly secret: string;
  /** The previous secret, and when it expires, in seconds since 1970. */
  readonly oldSecret: { readonly secret: string; readonly until: number } | undefined;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Since when it's paused, and why; undefined while it's active. */
  readonly pause: WebhookPause | undefined;
}

export interface WebhookPause {
  /** Seconds since 1970. */
  readonly at: number;
  /** A sentence for the operator. */
  readonly reason: string;
}

/** The secrets that sign now. @param now seconds since 1970 */
export function signingSecrets(
  { secret, oldSecret }: OutgoingWebhook,
  now: number,
): readonly string[] {
  return oldSecret !== undefined && now < oldSecret.until ? [secret, oldSecret.secret] : [secret];
}

/** An element of a delivery. Bodies keep this order of fields. */
export interface WebhookEvent {
  readonly type: WebhookEventType;
  /** When the change was committed. */
  readonly timestamp: string;
  readonly data: WalletChange;
}

/** The most events in a delivery. */
export const BATCH_MAX = 100;
/** The most bytes of a batch, below what receivers call a megabyte. One event may be larger, and goes alone. */
export const BATCH_BYTES = 1_000_000;

/** The events of a feed entry that a webhook is interested in; the feed is already filtered by its chain. */
export function eventsOf(entry: ChangeEntry, webhook: WebhookSettings): WebhookEvent[] {
  if (!('address' in entry) || !isInTiers(entry, webhook.minTier)) return [];
  return webhook.events
    .filter((type) => HAPPENED[type](entry))
    .map((type) => ({ type, timestamp: entry.at, data: entry }));
}

const HAPPENED: Record<WebhookEventType, (change: WalletChange) => boolean> = {
  'tier.changed': ({ tier, previousTier }) => tier !== previousTier,
  'score.changed': ({ score, previousScore }) => score !== previousScore,
  'badge.earned': ({ badgesEarned }) => badgesEarned.length > 0,
};

function isInTiers({ tier, previousTier }: WalletChange, least: Tier | undefined): boolean {
  if (least === undefined) return true;
  const isAtLeast = (each: Tier | null) =>
    each !== null && TIERS.indexOf(each) <= TIERS.indexOf(least);
  return isAtLeast(tier) || isAtLeast(previousTier);
}

/**
 * The body of a delivery. It only depends on the events, so a delivery that's sent again has the same body.
 * @param events empty for a test
 * @param now the timestamp of a test
 */
export function bodyOf(events: readonly WebhookEvent[], now = ''): string {
  const [first, ...others] = events;
  if (first !== undefined && others.length === 0) return JSON.stringify(first);
  return JSON.stringify({
    type: 'batch',
    timestamp: events.at(-1)?.timestamp ?? now,
    data: events,
  });
}

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
