import type { Logger } from '#core/logger';
import type { RateCounterMaker } from '#core/rate-window';
import type { SharedAnswers } from '#core/shared-answers';
import type { SharedBudget } from '#core/shared-budget';
import type { BeatBoard } from '#core/work/isolation';
import { RedisBeatBoard } from './beat-board.ts';
import { openRedis } from './connection.ts';
import { RedisAnswers } from './shared-answers.ts';
import { RedisBudget } from './shared-budget.ts';
import { countScript, SharedWindows } from './shared-windows.ts';

/** What replicas share through Redis. None of it needs Redis to be there. */
export interface RedisSharing {
  /** Makes counters; those of one name count together, wherever they are. */
  readonly windows: RateCounterMaker;
  readonly budget: SharedBudget;
  readonly answers: SharedAnswers;
  readonly beats: BeatBoard;
  /** The detail is for anybody to see. */
  status(): { ok: boolean; detail: string };
  /** Questions that Redis has not answered in time so far: this replica went on without an answer. */
  unanswered(): number;
  /** Ends at once. */
  close(): void;
}

/**
 * Connects to Redis, or goes on trying when it isn't there; returns within about two seconds.
 * @param url may hold a password; it is told to nobody
 * @param answerMs the most that a request waits for it, 50 if not given
 * @throws UserError `wrong-configuration` when the URL can't be read
 */
export async function openRedisSharing(
  url: string,
  log: Logger,
  answerMs?: number,
): Promise<RedisSharing> {
  const connection = await openRedis(url, log, answerMs);
  const script = countScript(connection);
  return {
    windows: (name, options) => new SharedWindows(connection, script, name, options),
    budget: new RedisBudget(connection),
    answers: new RedisAnswers(connection),
    beats: new RedisBeatBoard(connection),
    status: () => connection.status(),
    unanswered: () => connection.unanswered,
    close: () => connection.close(),
  };
}
