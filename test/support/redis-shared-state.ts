import { expect, onTestFinished, vi } from 'vitest';
import { openRedisState, type RedisState } from '#cluster/redis';
import { openRedis, type RedisConnection } from '#cluster/redis/connection';
import { TestLog } from './api.ts';
import { patienceMs } from './patience.ts';
import type { RedisServer } from './redis.ts';

/** For tests that aren't about deadlines: on a busy machine even a healthy Redis may be slow. */
const PATIENT_MS = 20_000;

export interface TestReplica extends RedisState {
  readonly log: TestLog;
}

/** One replica's part of what is shared, until the test ends. It waits as long as it takes. */
export async function openReplica(redis: RedisServer): Promise<TestReplica> {
  const replica = await opened(redis, PATIENT_MS);
  await up(replica);
  return replica;
}

/** The same, with the production deadline. */
export async function openImpatientReplica(redis: RedisServer): Promise<TestReplica> {
  const replica = await opened(redis, undefined);
  await up(replica);
  return replica;
}

async function opened(redis: RedisServer, answerMs: number | undefined): Promise<TestReplica> {
  const log = new TestLog();
  const state = await openRedisState(redis.url, log, answerMs, 0);
  onTestFinished(() => state.close());
  return { ...state, log };
}

/** A connection with its log, until the test ends. */
export async function openConnection(
  url: string,
  answerMs?: number,
): Promise<{ connection: RedisConnection; log: TestLog }> {
  const log = new TestLog();
  const connection = await openRedis(url, log, answerMs);
  onTestFinished(() => connection.close());
  return { connection, log };
}

const PATIENCE = { timeout: patienceMs(), interval: 10 };

export async function up(replica: Pick<RedisState, 'status'>): Promise<void> {
  await vi.waitFor(() => expect(replica.status().ok).toBe(true), PATIENCE);
}

export async function away(replica: Pick<RedisState, 'status'>): Promise<void> {
  await vi.waitFor(() => expect(replica.status().ok).toBe(false), PATIENCE);
}
