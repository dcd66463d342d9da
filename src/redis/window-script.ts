import type { Script } from './connection.ts';
import type { MirroredWindow } from './window-mirror.ts';

/** What one client did since it was last asked about. */
export interface Tally {
  readonly key: string;
  /** Requests to count; 0 only looks. */
  readonly adds: number;
  /** What the asker knows of the client's window, which it says runs for `left` more milliseconds. */
  readonly known: { readonly window: MirroredWindow; readonly left: number } | undefined;
}

/** A client's window after it was counted in. */
export interface Told {
  /** 0 when none is running. */
  readonly count: number;
  /** Milliseconds. */
  readonly left: number;
  readonly serverEnd: number;
}

/**
 * Each key holds the count of a window and when it ends by this server's clock. What an asker knows
 * of a window that still runs is the least that is true: it is taken over where the key is missing
 * or lower, as after a flush, with the earlier of both ends. By the end it is seen whether it is
 * still that window, however long the question took to get here. A key that can't be read, or ends
 * later than any window may (the clock was set back), is as none.
 */
export const COUNT_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[1])
local told = {}
for i, key in ipairs(KEYS) do
  local adds = tonumber(ARGV[4 * i - 2])
  local known_count = tonumber(ARGV[4 * i - 1])
  local known_left = tonumber(ARGV[4 * i])
  local known_end = tonumber(ARGV[4 * i + 1])
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
  count = count + adds
  if count > 0 and stop == 0 then stop = now + length end
  if count ~= before then redis.call('SET', key, count .. ' ' .. stop, 'PX', stop - now) end
  told[#told + 1] = count
  told[#told + 1] = count > 0 and stop - now or 0
  told[#told + 1] = stop
end
return told
`;

const FIGURES = 3;

/**
 * Counts for many clients at once.
 * @param length of their windows, in milliseconds
 * @returns one for each, in the same order. Rejects when Redis does or says something else
 */
export async function countAll(
  script: Script,
  length: number,
  tallies: readonly Tally[],
): Promise<Told[]> {
  const args = tallies.flatMap(({ adds, known }) =>
    known === undefined
      ? [adds, 0, 0, 0]
      : [adds, known.window.count, Math.ceil(known.left), known.window.serverEnd],
  );
  const answer: unknown = await script(
    tallies.map((tally) => tally.key),
    [length, ...args],
  );
  if (!isFigures(answer) || answer.length !== FIGURES * tallies.length) {
    throw new Error('the answer has another form');
  }
  return tallies.map((_, i) => {
    const [count = 0, left = 0, serverEnd = 0] = answer.slice(FIGURES * i);
    return { count, left, serverEnd };
  });
}

function isFigures(answer: unknown): answer is number[] {
  return Array.isArray(answer) && answer.every((each) => Number.isSafeInteger(each));
}
