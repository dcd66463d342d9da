import {
  type BulkCount,
  fits,
  isRunning,
  makeRoom,
  type RateCounter,
  type RateWindow,
  type RateWindowOptions,
  refused,
} from '#base';
import { keyPart, type RedisConnection, type Script } from './connection.ts';

/** Most clients and bulks per batch: their script keeps Redis busy for about 2 ms. */
const STEPS_AT_ONCE = 500;
/** Most requests waiting for a batch; any more are counted locally. */
const MOST_WAITING = 10_000;

/** A request waiting for its window. */
interface PendingCount {
  /** 0 only looks. */
  readonly adds: number;
  readonly bulk: BulkCount | undefined;
  readonly now: number;
  readonly resolve: (window: RateWindow) => void;
}

/** Requests of one client that are counted in one step: any number of single ones, or one bulk. */
interface CountStep {
  readonly client: string;
  readonly requests: readonly PendingCount[];
}

/** Local copy of a shared window. */
interface MirroredWindow extends RateWindow {
  /** When it ends by the clock of Redis, which identifies the window; 0 for one begun locally. */
  readonly serverEnd: number;
}

/**
 * The windows as last reported by Redis. While Redis is down they keep counting locally, and they
 * restore the counts if Redis comes back empty.
 */
export class WindowMirror {
  readonly #windows = new Map<string, MirroredWindow>();
  readonly #options: RateWindowOptions;

  constructor(options: RateWindowOptions) {
    this.#options = options;
  }

  /** Clients remembered now. */
  get size(): number {
    return this.#windows.size;
  }

  /** The client's current window, or undefined. */
  get(client: string, now: number): MirroredWindow | undefined {
    const window = this.#windows.get(client);
    return window !== undefined && isRunning(window, now, this.#options.length)
      ? window
      : undefined;
  }

  /** Counts one request, or a bulk, locally and returns its window. */
  count(client: string, now: number, bulk?: BulkCount): RateWindow {
    const running = this.get(client, now) ?? {
      count: 0,
      endsAt: now + this.#options.length,
      serverEnd: 0,
    };
    if (bulk !== undefined && !fits(bulk, running)) return refused(running);
    const window = { ...running, count: running.count + (bulk?.requests ?? 1) };
    this.#put(client, window, now);
    return window;
  }

  /** Stores a window reported by Redis. */
  note(client: string, reported: MirroredWindow, now: number): void {
    const known = this.get(client, now);
    // Keep requests counted locally meanwhile, unless they were in another window.
    const count =
      known?.serverEnd === reported.serverEnd
        ? Math.max(known.count, reported.count)
        : reported.count;
    this.#put(client, { ...reported, count }, now);
  }

  #put(client: string, window: MirroredWindow, now: number): void {
    const known = this.#windows.get(client);
    if (known !== undefined && !isRunning(known, now, this.#options.length))
      this.#windows.delete(client);
    if (!this.#windows.has(client)) makeRoom(this.#windows, now, this.#options);
    this.#windows.set(client, window);
  }
}

/**
 * Fixed windows shared by all replicas: each starts at a client's first request on any replica.
 *
 * One batch is in flight at a time. Requests that arrive meanwhile wait for the next, which counts
 * all single requests of a client in one step and gives each its own number: thousands of requests
 * per second cost few round trips, and no number is given twice. Bulks follow, each in its own step.
 *
 * While Redis is down, each replica counts on locally from the last known state and answers
 * immediately. So an outage never rejects a client, and no client is ever unlimited. If a batch
 * times out, its requests are counted locally, and merged when the late reply arrives. Until then
 * the replicas together may let through at most the requests in such batches.
 */
export class RedisRateWindows implements RateCounter {
  readonly #connection: RedisConnection;
  readonly #script: Script;
  readonly #prefix: string;
  readonly #length: number;
  readonly #mirror: WindowMirror;
  readonly #waiting = new Map<string, PendingCount[]>();
  readonly #waitingBulks: CountStep[] = [];
  #waitingRequests = 0;
  #isSending = false;

  /** @param script of `registerCountScript` */
  constructor(
    connection: RedisConnection,
    script: Script,
    name: string,
    options: RateWindowOptions,
  ) {
    this.#connection = connection;
    this.#script = script;
    this.#prefix = `fathom:window:${name}:`;
    this.#length = options.length;
    this.#mirror = new WindowMirror(options);
  }

  /** Counts one request, or a bulk. Synchronous while Redis is down; the promise never rejects. */
  count(client: string, time: number, bulk?: BulkCount): RateWindow | Promise<RateWindow> {
    const now = Math.floor(time);
    const part = keyPart(client);
    if (!this.#canBatch()) return this.#mirror.count(part, now, bulk);
    return this.#enqueue(part, now, bulk?.requests ?? 1, bulk);
  }

  /** The client's current window, or undefined; the promise never rejects. */
  peek(client: string, time: number): RateWindow | undefined | Promise<RateWindow | undefined> {
    const now = Math.floor(time);
    const part = keyPart(client);
    if (!this.#canBatch()) return this.#mirror.get(part, now);
    return this.#enqueue(part, now, 0).then((window) => (window.count > 0 ? window : undefined));
  }

  #canBatch(): boolean {
    return this.#connection.isUp && this.#waitingRequests < MOST_WAITING;
  }

  #enqueue(client: string, now: number, adds: number, bulk?: BulkCount): Promise<RateWindow> {
    return new Promise((resolve) => {
      const request = { adds, bulk, now, resolve };
      const requests = this.#waiting.get(client);
      if (bulk !== undefined) this.#waitingBulks.push({ client, requests: [request] });
      else if (requests === undefined) this.#waiting.set(client, [request]);
      else requests.push(request);
      this.#waitingRequests += 1;
      if (this.#isSending) return;
      this.#isSending = true;
      // Batch whatever else arrives in this tick.
      setImmediate(() => void this.#sendBatches());
    });
  }

  async #sendBatches(): Promise<void> {
    while (this.#waitingRequests > 0) {
      const steps = this.#nextSteps();
      const batch = steps.map((step) => this.#countOf(step));
      const windows = await this.#connection
        .run(
          () => countAll(this.#script, this.#length, batch),
          (late) => this.#noteAll(steps, late),
        )
        .catch(() => undefined);
      for (const [i, step] of steps.entries()) {
        const window = windows?.[i];
        if (window === undefined) this.#answerLocally(step);
        else this.#answer(step, window);
      }
    }
    this.#isSending = false;
  }

  #nextSteps(): CountStep[] {
    const next: CountStep[] = [];
    for (const [client, requests] of this.#waiting.entries().take(STEPS_AT_ONCE)) {
      this.#waiting.delete(client);
      next.push({ client, requests });
    }
    next.push(...this.#waitingBulks.splice(0, STEPS_AT_ONCE - next.length));
    for (const { requests } of next) this.#waitingRequests -= requests.length;
    return next;
  }

  #countOf({ client, requests }: CountStep): ClientCount {
    const now = latest(requests);
    const window = this.#mirror.get(client, now);
    return {
      key: this.#prefix + client,
      adds: sum(requests),
      limit: requests[0]?.bulk?.limit ?? 0,
      known: window && { window, left: window.endsAt - now },
    };
  }

  #note({ client, requests }: CountStep, { count, left, serverEnd }: CountedWindow): void {
    if (count === 0) return;
    // Compute the end from before the batch was sent, so the mirror's window never ends after the
    // one in Redis.
    const before = latest(requests);
    this.#mirror.note(client, { count, endsAt: before + left, serverEnd }, before);
  }

  /** Handles a reply that arrived after its requests were counted locally. */
  #noteAll(steps: readonly CountStep[], windows: readonly CountedWindow[]): void {
    for (const [i, step] of steps.entries()) {
      const window = windows[i];
      if (window !== undefined) this.#note(step, window);
    }
  }

  #answer(step: CountStep, counted: CountedWindow): void {
    const { count, left, isCounted } = counted;
    this.#note(step, counted);
    if (!isCounted) {
      const wait = count === 0 ? this.#length : left;
      for (const { now, resolve } of step.requests) resolve(refused({ count, endsAt: now + wait }));
      return;
    }
    let number = count - sum(step.requests);
    for (const { adds, now, resolve } of step.requests) {
      number += adds;
      resolve({ count: number, endsAt: now + left });
    }
  }

  #answerLocally({ client, requests }: CountStep): void {
    for (const { adds, bulk, now, resolve } of requests) {
      if (adds > 0) resolve(this.#mirror.count(client, now, bulk));
      else resolve(this.#mirror.get(client, now) ?? { count: 0, endsAt: now });
    }
  }
}

/** Registers the script that the constructor takes. */
export function registerCountScript(connection: RedisConnection): Script {
  return connection.script(COUNT_SCRIPT);
}

function sum(requests: readonly PendingCount[]): number {
  return requests.reduce((total, { adds }) => total + adds, 0);
}

function latest(requests: readonly PendingCount[]): number {
  return requests.at(-1)?.now ?? 0;
}

/** One client's requests since the last batch. */
interface ClientCount {
  readonly key: string;
  /** Requests to count; 0 only looks. */
  readonly adds: number;
  /** Counts none of them if the window would have more than this; 0 for no limit. */
  readonly limit: number;
  /** The replica's copy of the client's window, which has `left` milliseconds to run. */
  readonly known: { readonly window: MirroredWindow; readonly left: number } | undefined;
}

/** A client's window after counting. */
interface CountedWindow {
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
const COUNT_SCRIPT = `
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
async function countAll(
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
