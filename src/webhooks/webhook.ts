import type { Tier } from '#reputation';
import type { Chain } from '#wallet';

export const WEBHOOK_EVENTS = ['tier.changed', 'score.changed', 'badge.earned'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** The most webhooks of an instance: each may have several requests under way. */
export const MAX_WEBHOOKS = 50;
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
