import Bottleneck from 'bottleneck';
import { monotonicMs, wallMs } from '#base';
import { sleep } from '#base/waiting';

/** Concurrent requests per host. */
const AT_ONCE = 4;
/** The longest interval between requests that rate limit responses lead to. */
const SLOWEST_MS = 5_000;
/** The interval after the first such response, and how much of it each success keeps. */
const FIRST_MS = 50;
const FASTER = 0.95;
/** The longest wait that a host may impose. */
const WAIT_MOST_MS = 120_000;
/** Bottleneck uses the wall clock; a larger jump than this means that the clock was set. */
const STEP_MS = 1_000;
const WATCH_MS = 1_000;

/**
 * Finds how fast a host may be asked: slows down while it answers "too many requests", and speeds up a little
 * with every success.
 */
export class HostPace {
  #limiter = newLimiter(0);
  #spacingMs = 0;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #offset = wallMs() - monotonicMs();
  readonly #watch: NodeJS.Timeout;

  constructor() {
    this.#watch = setInterval(() => this.#replaceAfterStep(), WATCH_MS);
    this.#watch.unref();
  }

  /** Milliseconds between two requests. */
  get spacingMs(): number {
    return Math.round(this.#spacingMs);
  }

  /** Runs a request as soon as the host's pace allows. @throws what it throws; the signal's reason */
  async run<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    for (;;) {
      await sleep(this.#quietUntil - monotonicMs(), signal);
      signal.throwIfAborted();
      let hasBegun = false;
      try {
        return await this.#limiter.schedule(() => {
          hasBegun = true;
          return request();
        });
      } catch (error) {
        // It was queued in a limiter that has been replaced.
        if (hasBegun || !(error instanceof Bottleneck.BottleneckError)) throw error;
      }
    }
  }

  /** The host asked us to slow down. @param retryAfterMs its Retry-After, if any */
  slowDown(retryAfterMs: number | undefined): void {
    this.#spacingMs = Math.min(SLOWEST_MS, Math.max(FIRST_MS, this.#spacingMs * 2));
    const wait = Math.min(WAIT_MOST_MS, retryAfterMs ?? this.#spacingMs);
    this.#quietUntil = Math.max(this.#quietUntil, monotonicMs() + wait);
    this.#limiter.updateSettings({ minTime: this.spacingMs });
  }

  /** The host answered. */
  wentWell(): void {
    if (this.#spacingMs === 0) return;
    this.#spacingMs = this.#spacingMs < 1 ? 0 : this.#spacingMs * FASTER;
    this.#limiter.updateSettings({ minTime: this.spacingMs });
  }

  close(): void {
    clearInterval(this.#watch);
    void this.#limiter.stop({ dropWaitingJobs: true });
  }

  #replaceAfterStep(): void {
    const offset = wallMs() - monotonicMs();
    const step = Math.abs(offset - this.#offset);
    this.#offset = offset;
    if (step < STEP_MS) return;
    const before = this.#limiter;
    this.#limiter = newLimiter(this.spacingMs);
    void before.stop({ dropWaitingJobs: true });
  }
}

function newLimiter(minTime: number): Bottleneck {
  return new Bottleneck({ maxConcurrent: AT_ONCE, minTime });
}

/** The paces of all hosts, shared by all sources. */
export class HostPaces {
  readonly #paces = new Map<string, HostPace>();

  /** @param host including the port */
  of(host: string): HostPace {
    const known = this.#paces.get(host) ?? new HostPace();
    this.#paces.set(host, known);
    return known;
  }

  close(): void {
    for (const pace of this.#paces.values()) pace.close();
  }
}
