import type { Logger, RateCounterMaker } from '#base';
import type { BeatBoard } from '#cluster/isolation';
import type { SharedAnswers } from '#cluster/shared-answers';
import type { SharedBudget } from '#cluster/shared-budget';
import { openRedis } from './connection.ts';
import { RedisHeartbeats } from './heartbeats.ts';
import { RedisRateWindows, registerCountScript } from './rate-windows.ts';
import { RedisAnswers } from './shared-answers.ts';
import { RedisBudget } from './shared-budget.ts';

/** What replicas share through Redis. All of it degrades gracefully while Redis is down. */
export interface RedisSharing {
  /** Creates counters; counters of the same name count together across replicas. */
  readonly windows: RateCounterMaker;
  readonly budget: SharedBudget;
  readonly answers: SharedAnswers;
  readonly beats: BeatBoard;
  /** The detail is safe to show publicly. */
  status(): { ok: boolean; detail: string };
  /** Questions that Redis has not answered in time so far: this replica went on without an answer. */
  unanswered(): number;
  /** Closes immediately. */
  close(): void;
}

/**
 * Connects to Redis, or keeps trying in the background; returns within about two seconds.
 * @param url may contain a password, which is never logged
 * @param answerMs command timeout, 50 by default
 * @throws UserError `wrong-configuration` if the URL is invalid
 */
export async function openRedisSharing(
  url: string,
  log: Logger,
  answerMs?: number,
): Promise<RedisSharing> {
  const connection = await openRedis(url, log, answerMs);
  const script = registerCountScript(connection);
  return {
    windows: (name, options) => new RedisRateWindows(connection, script, name, options),
    budget: new RedisBudget(connection),
    answers: new RedisAnswers(connection),
    beats: new RedisHeartbeats(connection),
    status: () => connection.status(),
    unanswered: () => connection.unanswered,
    close: () => connection.close(),
  };
}
