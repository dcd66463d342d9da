import type { BeatBoard } from '#cluster/isolation';
import type { RedisConnection, Script } from './connection.ts';

const KEY = 'fathom:beats';
/** Heartbeats older than this are dropped. */
const KEPT_MS = 60_000;
/** Most peers per lookup. */
const MOST_PEERS = 100;

/**
 * One sorted set: replicas by the time of their latest heartbeat, by the clock of Redis. Entries
 * from the future, left after that clock was set back, are dropped. ARGV: replica, milliseconds
 * since its heartbeat or -1, peers.
 */
const SCRIPT = `
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
export class RedisHeartbeats implements BeatBoard {
  readonly #connection: RedisConnection;
  readonly #script: Script;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#script = connection.script(SCRIPT);
  }

  async post(
    replica: string,
    agoMs: number | undefined,
    peers: readonly string[],
  ): Promise<number | undefined> {
    const ago = agoMs === undefined ? -1 : Math.max(0, Math.ceil(agoMs));
    const args = [replica, ago, ...peers.slice(0, MOST_PEERS)];
    const newest = Number(await this.#connection.run(() => this.#script([KEY], args)));
    return newest >= 0 ? newest : undefined;
  }
}
