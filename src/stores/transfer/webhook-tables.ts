import type { TransferTable } from './table.ts';

/** Webhooks, and what they haven't delivered. */
export const WEBHOOK_TABLES: readonly TransferTable[] = [
  {
    name: 'webhook',
    columns: {
      number: 'integer',
      id: 'text',
      url: 'text',
      events: 'text',
      chain: 'text',
      min_tier: 'text',
      secret: 'text',
      old_secret: 'text',
      old_secret_until: 'integer',
      created_at: 'integer',
      cursor: 'text',
      round: 'integer',
      paused_at: 'integer',
      pause_reason: 'text',
    },
    key: ['number'],
  },
  {
    name: 'webhook_delivery',
    columns: {
      webhook: 'text',
      number: 'integer',
      id: 'text',
      events: 'text',
      size: 'integer',
      failures: 'integer',
      failing_seconds: 'integer',
    },
    key: ['webhook', 'number'],
  },
  {
    name: 'webhook_event',
    columns: { webhook: 'text', number: 'integer', event: 'text' },
    key: ['webhook', 'number'],
  },
  {
    name: 'webhook_attempt',
    columns: {
      number: 'integer',
      webhook: 'text',
      at: 'integer',
      delivery: 'text',
      events: 'integer',
      taken: 'integer',
      result: 'text',
      milliseconds: 'integer',
    },
    key: ['number'],
  },
];
