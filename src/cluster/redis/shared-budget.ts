import type { SharedBudget } from '#cluster/shared-budget';
import type { RedisConnection, Script } from './connection.ts';
import { keyPart } from './key.ts';

const MOST_PLACES = 1_000;
const LONGEST_BLOCK_MS = 86_400_000;

/**
 * One key holds the time of the last call, the end of the block, and the times of the granted slots,
 * oldest first, by the clock of Redis. If that clock is set back, everything shifts with it as if no
 * time had passed.
 */
const SCRIPT = `
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
export class RedisBudget implements SharedBudget {
  readonly #connection: RedisConnection;
  readonly #script: Script;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#script = connection.script(SCRIPT);
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
