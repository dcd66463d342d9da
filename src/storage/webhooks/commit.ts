import { firstRow, run, type SqlScript } from '#storage/sql/script';
import { KEPT_ATTEMPTS, type WebhookCommit } from '#webhooks';

/**
 * Writes a webhook's progress in a transaction.
 * @returns false, with nothing written, if another round has begun
 */
export function* writeCommit(id: string, round: number, commit: WebhookCommit): SqlScript<boolean> {
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
