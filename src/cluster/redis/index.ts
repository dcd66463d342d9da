/** What replicas share through Redis: limits, budgets, responses. */

import type { Logger, RateCounterMaker } from '#base';
import type { BeatBoard } from '#cluster/isolation';
import type { SharedAnswers, SharedBudget } from '#cluster/sharing';
import { keyPart, openRedis, type RedisConnection, type Script } from './connection.ts';
import { RedisRateWindows, registerCountScript } from './rate-windows.ts';

export { ANSWER_MS } from './connection.ts';

/** What replicas share through Redis. All of it degrades gracefully while Redis is down. */
export interface RedisState {
  /** Creates counters; counters of the same name count together across replicas. */
  readonly windows: RateCounterMaker;
  readonly budget: SharedBudget;
  readonly answers: SharedAnswers;
  readonly beats: BeatBoard;
  /** Which server it is, the same for all who are connected to it; undefined until that is sure. */
  mark(): string | undefined;
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
 * @param markStandsMs how long a server's mark must have stood
 * @throws UserError `wrong-configuration` if the URL is invalid
 */
export async function openRedisState(
  url: string,
  log: Logger,
  answerMs?: number,
  markStandsMs?: number,
): Promise<RedisState> {
  const connection = await openRedis(url, log, answerMs, markStandsMs);
  const script = registerCountScript(connection);
  return {
    windows: (name, options) => new RedisRateWindows(connection, script, name, options),
    budget: new RedisBudget(connection),
    answers: new RedisAnswers(connection),
    beats: new RedisHeartbeats(connection),
    mark: () => connection.mark,
    status: () => connection.status(),
    unanswered: () => connection.unanswered,
    close: () => connection.close(),
  };
}

/** Maximum bytes per value: more would delay the rate counts on the same connection. */
const TEXT_MAX = 512 * 1024;

/** A cache in Redis with expiring values. */
class RedisAnswers implements SharedAnswers {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async get(key: string): Promise<string | undefined> {
    const text = await this.#connection
      .run((redis) => redis.get(nameOf(key)))
      .catch(() => undefined);
    return text ?? undefined;
  }

  async set(key: string, text: string, ttlMs: number): Promise<void> {
    if (Buffer.byteLength(text) > TEXT_MAX) return;
    const ttl = Math.max(1, Math.ceil(ttlMs));
    await this.#connection
      .run((redis) => redis.set(nameOf(key), text, 'PX', ttl))
      .catch(() => undefined);
  }
}

function nameOf(key: string): string {
  return `fathom:answer:${keyPart(key)}`;
}

const MOST_PLACES = 1_000;
const LONGEST_BLOCK_MS = 86_400_000;

/**
 * One key holds the time of the last call, the end of the block, and the times of the granted slots,
 * oldest first, by the clock of Redis. If that clock is set back, everything shifts with it as if no
 * time had passed.
 */
const BUDGET_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most, length, block = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local kept = {}
local text = redis.pcall('GET', KEYS[1])
if type(text) == 'string' then
  for number in string.gmatch(text, '%d+') do kept[#kept + 1] = tonumber(number) end
end
local back = math.max(0, (kept[1] or 0) - now)
local blocked = math.max(0, (kept[2] or 0) - back)
local places = {}
for i = math.max(3, #kept - ${MOST_PLACES} + 1), #kept do
  local place = kept[i] - back
  if most == 0 or place > now - length then places[#places + 1] = place end
end
local wait = 0
if most == 0 then
  blocked = math.max(blocked, now + block)
else
  local before = places[#places - most + 1]
  local place = math.max(now, blocked, places[#places] or 0, before and before + length or 0)
  places[#places + 1] = place
  wait = place - now
end
local lasts = math.max(blocked - now, redis.call('PTTL', KEYS[1]))
if most > 0 then lasts = math.max(blocked - now, wait + length) end
local state = now .. ' ' .. blocked .. ' ' .. table.concat(places, ' ')
redis.call('SET', KEYS[1], state, 'PX', math.max(1, lasts))
return wait
`;

/** A shared rate budget in Redis, by its clock; see the port for the contract. */
class RedisBudget implements SharedBudget {
  readonly #connection: RedisConnection;
  readonly #script: Script;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#script = connection.script(BUDGET_SCRIPT);
  }

  async take(key: string, most: number, lengthMs: number): Promise<number> {
    if (most === Number.POSITIVE_INFINITY) return 0;
    return await this.#ask(key, bounded(most, MOST_PLACES), Math.max(1, Math.ceil(lengthMs)), 0);
  }

  async block(key: string, ms: number): Promise<void> {
    if (ms > 0) await this.#ask(key, 0, 0, bounded(ms, LONGEST_BLOCK_MS));
  }

  #ask(key: string, most: number, length: number, block: number): Promise<number> {
    const name = `fathom:budget:${keyPart(key)}`;
    return this.#connection.run(async () => {
      const wait = await this.#script([name], [most, length, block]);
      if (!Number.isSafeInteger(wait)) throw new Error('unexpected reply from Redis');
      return Number(wait);
    });
  }
}

function bounded(figure: number, most: number): number {
  return Math.max(1, Math.min(Math.ceil(figure), most));
}

const BEATS_KEY = 'fathom:beats';
/** Heartbeats older than this are dropped. */
const KEPT_MS = 60_000;
/** Most peers per lookup. */
const MOST_PEERS = 100;

/**
 * One sorted set: replicas by the time of their latest heartbeat, by the clock of Redis. Entries
 * from the future, left after that clock was set back, are dropped. ARGV: replica, milliseconds
 * since its heartbeat or -1, peers.
 */
const BEATS_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${KEPT_MS})
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
local ago = tonumber(ARGV[2])
if ago >= 0 then
  redis.call('ZADD', KEYS[1], now - ago, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
end
local newest = -1
for i = 3, #ARGV do
  local at = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if at and (newest < 0 or now - at < newest) then newest = now - at end
end
return newest
`;

/** Replica heartbeats in Redis; see the port for the contract. */
class RedisHeartbeats implements BeatBoard {
  readonly #connection: RedisConnection;
  readonly #script: Script;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#script = connection.script(BEATS_SCRIPT);
  }

  async post(
    replica: string,
    agoMs: number | undefined,
    peers: readonly string[],
  ): Promise<number | undefined> {
    const ago = agoMs === undefined ? -1 : Math.max(0, Math.ceil(agoMs));
    const args = [replica, ago, ...peers.slice(0, MOST_PEERS)];
    const newest = Number(await this.#connection.run(() => this.#script([BEATS_KEY], args)));
    return newest >= 0 ? newest : undefined;
  }
}
