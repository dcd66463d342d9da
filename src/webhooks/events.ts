import { type ChangeEntry, TIERS, type Tier, type WalletChange } from '#reputation';
import type { WebhookEventType, WebhookSettings } from './webhook.ts';

/** An element of a delivery. Bodies keep this order of fields. */
export interface WebhookEvent {
  readonly type: WebhookEventType;
  /** When the change was committed. */
  readonly timestamp: string;
  readonly data: WalletChange;
}

/** The most events in a delivery. */
export const BATCH_MAX = 100;

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
