import type { Table } from './table.ts';

/**
 * What is momentary and stays where it is: which replicas are alive, what they have claimed, what was
 * delivered to them, and whose log lies next to a file. Released: never change it; see `Table.added`.
 *
 * In Postgres a replica that counts as dead is deleted, and the foreign keys release its claims: so
 * nobody who claims something has to check whether another replica is alive. All times there are by
 * the server's clock.
 */
export const WORK_TABLES: readonly Table[] = [
  {
    name: 'replica',
    only: 'postgres',
    isLeftBehind: true,
    columns: {
      id: 'key',
      // Since when it has said in time that it lives.
      steady_since: { postgres: 'timestamptz NOT NULL' },
      seen_at: { postgres: 'timestamptz NOT NULL' },
      // What it says to the others while it lives.
      notices: { postgres: "text[] NOT NULL DEFAULT '{}'" },
    },
    key: 'id',
  },
  // Only what is held has a row.
  {
    name: 'claim',
    only: 'postgres',
    isLeftBehind: true,
    columns: {
      name: 'key',
      replica: { postgres: 'text COLLATE "C" NOT NULL REFERENCES replica ON DELETE CASCADE' },
    },
    key: 'name',
    indexes: { claim_replica: '(replica)' },
  },
  {
    name: 'work',
    only: 'postgres',
    isLeftBehind: true,
    columns: {
      kind: 'key',
      name: 'key',
      // Who is at it.
      replica: { postgres: 'text COLLATE "C" REFERENCES replica ON DELETE SET NULL' },
      due_at: { postgres: 'timestamptz NOT NULL' },
      // Whatever was noted by who did it last.
      state: "text = ''",
    },
    key: 'kind, name',
    indexes: {
      work_due: '(kind, due_at, name) WHERE replica IS NULL',
      work_replica: '(replica) WHERE replica IS NOT NULL',
    },
  },
  // What was delivered: seq in the order of arrival, body JSON, NULL once it is settled. replica:
  // who answers it. tries: how many replicas have had it.
  {
    name: 'delivery',
    only: 'postgres',
    isLeftBehind: true,
    columns: {
      platform: 'key',
      id: 'key',
      seq: { postgres: 'bigint GENERATED ALWAYS AS IDENTITY' },
      body: 'text?',
      replica: { postgres: 'text COLLATE "C" REFERENCES replica ON DELETE SET NULL' },
      tries: 'int',
      received_at: { postgres: 'timestamptz NOT NULL' },
      settled_at: { postgres: 'timestamptz' },
    },
    key: 'platform, id',
    indexes: {
      delivery_left: '(platform, seq) WHERE replica IS NULL AND settled_at IS NULL',
      delivery_replica: '(replica) WHERE replica IS NOT NULL',
      delivery_received: '(received_at)',
    },
  },
  // The same for the one process that a file has at a time.
  {
    name: 'delivery',
    only: 'sqlite',
    isLeftBehind: true,
    columns: {
      seq: 'serial',
      platform: 'key',
      id: 'key',
      body: 'text?',
      replica: 'key',
      tries: 'int',
      received_at: 'big',
      settled_at: 'big?',
    },
    key: 'seq',
    unique: '(platform, id)',
    indexes: {
      delivery_open: '(platform, seq) WHERE settled_at IS NULL',
      delivery_received: '(received_at)',
    },
  },
  // One row: the stamp before the last transaction, and the one after it.
  {
    name: 'lineage',
    since: 'which file a log continues',
    only: 'sqlite',
    isLeftBehind: true,
    columns: { id: { sqlite: 'INTEGER PRIMARY KEY CHECK (id = 1)' }, stamp: 'text' },
    key: 'id',
  },
];

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
      // The cursor of the changes.
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
