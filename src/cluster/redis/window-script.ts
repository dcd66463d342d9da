import type { Script } from './connection.ts';
import type { MirroredWindow } from './window-mirror.ts';

/** One client's requests since the last batch. */
export interface ClientCount {
  readonly key: string;
  /** Requests to count; 0 only looks. */
  readonly adds: number;
  /** Counts none of them if the window would have more than this; 0 for no limit. */
  readonly limit: number;
  /** The replica's copy of the client's window, which has `left` milliseconds to run. */
  readonly known: { readonly window: MirroredWindow; readonly left: number } | undefined;
}

/** A client's window after counting. */
export interface CountedWindow {
  /** 0 if there is no current window. */
  readonly count: number;
  /** Milliseconds. */
  readonly left: number;
  readonly serverEnd: number;
  /** Whether they were counted. */
  readonly isCounted: boolean;
}

/**
 * Each key holds the count of a window and its end by the clock of Redis. A replica's copy of a
 * current window is a lower bound: it replaces a missing or lower count, as after a flush, with the
 * earlier of both ends. The end also shows whether it's still the same window, however long the
 * batch took to arrive. A key that is unreadable, or ends later than any window can (the clock was
 * set back), counts as missing.
 */
export const COUNT_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[1])
local windows = {}
for i, key in ipairs(KEYS) do
  local adds = tonumber(ARGV[5 * i - 3])
  local limit = tonumber(ARGV[5 * i - 2])
  local known_count = tonumber(ARGV[5 * i - 1])
  local known_left = tonumber(ARGV[5 * i])
  local known_end = tonumber(ARGV[5 * i + 1])
  local count, stop = 0, 0
  local kept = redis.pcall('GET', key)
  if type(kept) == 'string' then
    local kept_count, kept_end = string.match(kept, '^(%d+) (%d+)$')
    if kept_count and tonumber(kept_end) > now and tonumber(kept_end) - now <= length then
      count, stop = tonumber(kept_count), tonumber(kept_end)
    end
  end
  local before = count
  if known_count > count then
    if known_end == 0 or known_end - now > length then known_end = now + known_left end
    if known_end > now then
      if count == 0 or known_end < stop then stop = known_end end
      count = known_count
    end
  end
  local fits = limit == 0 or count + adds <= limit
  if fits then count = count + adds end
  if count > 0 and stop == 0 then stop = now + length end
  if count ~= before then redis.call('SET', key, count .. ' ' .. stop, 'PX', stop - now) end
  windows[#windows + 1] = count
  windows[#windows + 1] = count > 0 and stop - now or 0
  windows[#windows + 1] = stop
  windows[#windows + 1] = fits and 1 or 0
end
return windows
`;

const FIGURES = 4;

/**
 * Counts requests of many clients in one batch.
 * @param length of the windows, in milliseconds
 * @returns one window per client, in order. Rejects on an error or an unexpected reply
 */
export async function countAll(
  script: Script,
  length: number,
  batch: readonly ClientCount[],
): Promise<CountedWindow[]> {
  const args = batch.flatMap(({ adds, limit, known }) =>
    known === undefined
      ? [adds, limit, 0, 0, 0]
      : [adds, limit, known.window.count, Math.ceil(known.left), known.window.serverEnd],
  );
  const answer: unknown = await script(
    batch.map((each) => each.key),
    [length, ...args],
  );
  if (!isFigures(answer) || answer.length !== FIGURES * batch.length) {
    throw new Error('unexpected reply from Redis');
  }
  return batch.map((_, i) => {
    const [count = 0, left = 0, serverEnd = 0, isCounted = 0] = answer.slice(FIGURES * i);
    return { count, left, serverEnd, isCounted: isCounted === 1 };
  });
}

function isFigures(answer: unknown): answer is number[] {
  return Array.isArray(answer) && answer.every((each) => Number.isSafeInteger(each));
}
