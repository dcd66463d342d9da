import type { Table } from './table.ts';

/** Webhooks, and what they haven't delivered. Released: never change it; see `Table.added`. */
export const WEBHOOK_TABLES: readonly Table[] = [
  {
    name: 'webhook',
    columns: {
      number: 'serial',
      id: 'key unique',
      url: 'text',
      // Names, separated by commas.
      events: 'text',
      chain: 'text',
      min_tier: 'text?',
      // In the clear.
      secret: 'text',
      old_secret: 'text?',
      old_secret_until: 'big?',
      created_at: 'big',
      // Of the changes.
      cursor: 'text',
      // Counts its holders.
      round: 'big',
      paused_at: 'big?',
      pause_reason: 'text?',
    },
    key: 'number',
  },
  // Deliveries that aren't taken yet. events: JSON; size: how many.
  {
    name: 'webhook_delivery',
    columns: {
      webhook: 'key',
      number: 'big',
      id: 'text',
      events: 'text',
      size: 'big',
      failures: 'big',
      failing_seconds: 'big',
    },
    key: 'webhook, number',
  },
  // Events whose wallet waits for such a delivery. event: JSON.
  {
    name: 'webhook_event',
    columns: { webhook: 'key', number: 'big', event: 'text' },
    key: 'webhook, number',
  },
  // The latest attempts of each.
  {
    name: 'webhook_attempt',
    columns: {
      number: 'serial',
      webhook: 'key',
      at: 'big',
      delivery: 'text',
      events: 'big',
      taken: 'small',
      result: 'text',
      milliseconds: 'big',
    },
    key: 'number',
    indexes: { webhook_attempt_webhook: '(webhook, number)' },
  },
];
