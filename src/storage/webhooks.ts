import { formatTime, UserError } from '#base';
import { TIERS } from '#reputation';
import { CHAINS } from '#wallet';
import {
  type HeldDelivery,
  type HeldEvent,
  KEPT_ATTEMPTS,
  MAX_WEBHOOKS,
  WEBHOOK_EVENTS,
  type WebhookAttempt,
  type WebhookCommit,
  type WebhookStore,
  type WebhookSummary,
} from '#webhooks';
import { formatCursor } from './changes/feed.ts';
import { NO_BATCH } from './following/position.ts';
import { firstRow, type Row, rows, run, type SqlRunner, type SqlScript } from './sql/script.ts';

/** Taken while adding a webhook, so that their number stays within the limit. */
const LOCK = 'webhooks';

const SUMMARIES = `
  SELECT webhook.*,
    (SELECT count(*) FROM webhook_event WHERE webhook = webhook.id) +
    (SELECT coalesce(sum(size), 0) FROM webhook_delivery WHERE webhook = webhook.id) AS held
  FROM webhook ORDER BY number`;

/** Webhooks in the store's tables. */
export function createWebhookStore(sql: SqlRunner): WebhookStore {
  return {
    add: ({ id, url, events, chain, minTier, secret, createdAt }) =>
      sql.transact(function* (): SqlScript<void> {
        yield* sql.dialect.lockAccount(LOCK);
        const all = yield* firstRow('SELECT count(*) AS n FROM webhook');
        if (Number(all?.n) >= MAX_WEBHOOKS) throw tooMany();
        yield* run(
          `INSERT INTO webhook (id, url, events, chain, min_tier, secret, created_at, cursor, round)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)`,
          [id, url, events.join(','), chain, minTier, secret, createdAt, yield* newest()],
        );
      }),
    list: () =>
      sql.query(function* () {
        const latest = yield* rows(
          `SELECT * FROM webhook_attempt WHERE number IN
             (SELECT max(number) FROM webhook_attempt GROUP BY webhook)`,
        );
        const attempts = new Map(latest.map((row) => [row.webhook, attemptOf(row)]));
        const found = yield* rows(SUMMARIES);
        return found.map((row) => summaryOf(row, attempts.get(row.id)));
      }),
    rotate: (id, secret, { at, until, endsOlder }) =>
      sql.transact(function* (): SqlScript<void> {
        const found = yield* run(
          `UPDATE webhook SET old_secret = secret, old_secret_until = $3, secret = $2
           WHERE id = $1 AND (old_secret_until IS NULL OR old_secret_until <= $4)`,
          [id, secret, until, endsOlder ? Number.MAX_SAFE_INTEGER : at],
        );
        if (found > 0) return;
        const row = yield* firstRow('SELECT old_secret_until FROM webhook WHERE id = $1', [id]);
        throw row === undefined ? notFound(id) : stillRotating(id, Number(row.old_secret_until));
      }),
    remove: (id) =>
      sql.transact(function* (): SqlScript<void> {
        const found = yield* run('DELETE FROM webhook WHERE id = $1', [id]);
        if (found === 0) throw notFound(id);
        for (const table of ['webhook_delivery', 'webhook_event', 'webhook_attempt']) {
          yield* run(`DELETE FROM ${table} WHERE webhook = $1`, [id]);
        }
      }),
    resume: (id, skip) =>
      sql.transact(function* (): SqlScript<void> {
        const found = yield* run(
          `UPDATE webhook SET paused_at = NULL, pause_reason = NULL, round = round + 1,
             cursor = coalesce($2, cursor)
           WHERE id = $1`,
          [id, skip ? yield* newest() : undefined],
        );
        if (found === 0) throw notFound(id);
        yield* run(
          'UPDATE webhook_delivery SET failures = 0, failing_seconds = 0 WHERE webhook = $1',
          [id],
        );
        for (const table of skip ? ['webhook_delivery', 'webhook_event'] : []) {
          yield* run(`DELETE FROM ${table} WHERE webhook = $1`, [id]);
        }
      }),
    pauseAll: ({ at, reason }) =>
      sql.transact(function* () {
        yield* run(
          `UPDATE webhook SET paused_at = $1, pause_reason = $2, round = round + 1
           WHERE paused_at IS NULL`,
          [at, reason],
        );
        return (yield* rows('SELECT id FROM webhook', [])).length;
      }),
    attempts: (id) =>
      sql.query(function* () {
        const webhook = yield* firstRow('SELECT id FROM webhook WHERE id = $1', [id]);
        if (webhook === undefined) throw notFound(id);
        const found = yield* rows(
          'SELECT * FROM webhook_attempt WHERE webhook = $1 ORDER BY number DESC LIMIT $2',
          [id, KEPT_ATTEMPTS],
        );
        return found.map(attemptOf);
      }),
    begin: (id) =>
      sql.transact(function* () {
        const row = yield* firstRow(
          `UPDATE webhook SET round = round + 1 WHERE id = $1 AND paused_at IS NULL
           RETURNING round, cursor`,
          [id],
        );
        if (row === undefined) return undefined;
        const of = (table: string) =>
          rows(`SELECT * FROM ${table} WHERE webhook = $1 ORDER BY number`, [id]);
        return {
          round: Number(row.round),
          cursor: String(row.cursor),
          deliveries: (yield* of('webhook_delivery')).map(heldDeliveryOf),
          events: (yield* of('webhook_event')).map(heldEventOf),
        };
      }),
    commit: (id, round, commit) => sql.transact(() => writeCommit(id, round, commit)),
  };
}

/** The cursor of the newest commit. */
function* newest(): SqlScript<string> {
  const row = yield* firstRow('SELECT id, uid FROM batch ORDER BY id DESC LIMIT 1');
  return formatCursor(row === undefined ? NO_BATCH : { id: Number(row.id), uid: String(row.uid) });
}

function notFound(id: string): UserError {
  return new UserError('webhook-not-found', `There is no webhook with the id ${id}.`);
}

function stillRotating(id: string, until: number): UserError {
  const time = formatTime(until);
  return new UserError(
    'webhook-rotating',
    `The secret of ${id} was replaced less than a day ago, and the one before still signs until ${time}, in case the receiver needs it. Rotate again after that, or with --force now: then the one before stops signing at once.`,
  );
}

function tooMany(): UserError {
  return new UserError(
    'webhook-limit',
    `There are already ${MAX_WEBHOOKS} webhooks, the maximum. Remove one first.`,
  );
}

/**
 * Writes a webhook's progress in a transaction.
 * @returns false, with nothing written, if another round has begun
 */
function* writeCommit(id: string, round: number, commit: WebhookCommit): SqlScript<boolean> {
  const { cursor, deliveries, events, droppedDeliveries, droppedEvents, pause } = commit;
  const isOurs = yield* run(
    `UPDATE webhook SET cursor = $3, paused_at = $4, pause_reason = $5
     WHERE id = $1 AND round = $2 AND paused_at IS NULL`,
    [id, round, cursor, pause?.at, pause?.reason],
  );
  if (isOurs === 0) return false;
  for (const number of droppedDeliveries) {
    yield* run('DELETE FROM webhook_delivery WHERE webhook = $1 AND number = $2', [id, number]);
  }
  for (const number of droppedEvents) {
    yield* run('DELETE FROM webhook_event WHERE webhook = $1 AND number = $2', [id, number]);
  }
  for (const { number, id: name, events: own, failures, failingSeconds } of deliveries) {
    yield* run(
      `INSERT INTO webhook_delivery (webhook, number, id, events, size, failures, failing_seconds)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (webhook, number) DO UPDATE SET failures = excluded.failures,
         failing_seconds = excluded.failing_seconds`,
      [id, number, name, JSON.stringify(own), own.length, failures, failingSeconds],
    );
  }
  for (const { number, event } of events) {
    yield* run(
      `INSERT INTO webhook_event (webhook, number, event) VALUES ($1, $2, $3)
       ON CONFLICT (webhook, number) DO NOTHING`,
      [id, number, JSON.stringify(event)],
    );
  }
  yield* writeAttempts(id, commit.attempts);
  return true;
}

function* writeAttempts(id: string, attempts: WebhookCommit['attempts']): SqlScript<void> {
  if (attempts.length === 0) return;
  for (const { at, delivery, events, isTaken, result, milliseconds } of attempts) {
    yield* run(
      `INSERT INTO webhook_attempt (webhook, at, delivery, events, taken, result, milliseconds)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, at, delivery, events, isTaken ? 1 : 0, result, milliseconds],
    );
  }
  const oldest = yield* firstRow(
    `SELECT number FROM webhook_attempt WHERE webhook = $1
     ORDER BY number DESC LIMIT 1 OFFSET $2`,
    [id, KEPT_ATTEMPTS],
  );
  if (oldest === undefined) return;
  yield* run('DELETE FROM webhook_attempt WHERE webhook = $1 AND number <= $2', [
    id,
    oldest.number,
  ]);
}

function summaryOf(row: Row, lastAttempt: WebhookAttempt | undefined): WebhookSummary {
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

function heldDeliveryOf(row: Row): HeldDelivery {
  return {
    number: Number(row.number),
    id: String(row.id),
    events: JSON.parse(String(row.events)),
    failures: Number(row.failures),
    failingSeconds: Number(row.failing_seconds),
  };
}

function heldEventOf(row: Row): HeldEvent {
  return { number: Number(row.number), event: JSON.parse(String(row.event)) };
}

function attemptOf(row: Row): WebhookAttempt {
  return {
    at: Number(row.at),
    delivery: String(row.delivery),
    events: Number(row.events),
    isTaken: Number(row.taken) === 1,
    result: String(row.result),
    milliseconds: Number(row.milliseconds),
  };
}
