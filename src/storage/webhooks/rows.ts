import { TIERS } from '#reputation';
import type { Row } from '#storage/sql/script';
import { CHAINS } from '#wallet';
import {
  type HeldDelivery,
  type HeldEvent,
  WEBHOOK_EVENTS,
  type WebhookAttempt,
  type WebhookSummary,
} from '#webhooks';

export function summaryOf(row: Row, lastAttempt: WebhookAttempt | undefined): WebhookSummary {
  const names = String(row.events).split(',');
  return {
    id: String(row.id),
    url: String(row.url),
    events: WEBHOOK_EVENTS.filter((each) => names.includes(each)),
    chain: CHAINS.find((each) => each === row.chain) ?? 'all',
    minTier: TIERS.find((each) => each === row.min_tier),
    secret: String(row.secret),
    oldSecret:
      row.old_secret === null
        ? undefined
        : { secret: String(row.old_secret), until: Number(row.old_secret_until) },
    createdAt: Number(row.created_at),
    pause:
      row.paused_at === null
        ? undefined
        : { at: Number(row.paused_at), reason: String(row.pause_reason) },
    held: Number(row.held),
    lastAttempt,
  };
}

export function heldDeliveryOf(row: Row): HeldDelivery {
  return {
    number: Number(row.number),
    id: String(row.id),
    events: JSON.parse(String(row.events)),
    failures: Number(row.failures),
    failingSeconds: Number(row.failing_seconds),
  };
}

export function heldEventOf(row: Row): HeldEvent {
  return { number: Number(row.number), event: JSON.parse(String(row.event)) };
}

export function attemptOf(row: Row): WebhookAttempt {
  return {
    at: Number(row.at),
    delivery: String(row.delivery),
    events: Number(row.events),
    isTaken: Number(row.taken) === 1,
    result: String(row.result),
    milliseconds: Number(row.milliseconds),
  };
}
