import Bottleneck from 'bottleneck';
import { monotonicMs, wallMs } from '#core/clock';
import { sleep } from '#runtime/sleep';

/** Requests to a host at once, where nothing is known of it. */
const AT_ONCE = 4;
/** The longest time between two requests that being told to slow down leads to. */
const SLOWEST_MS = 5_000;
/** What being told so begins with, and what each request that goes well takes off again. */
const FIRST_MS = 50;
const FASTER = 0.95;
/** The longest that a host may ask us to wait. */
const WAIT_MOST_MS = 120_000;
/** The library counts by the clock that may be set; more than this is a step of it. */
const STEP_MS = 1_000;
const WATCH_MS = 1_000;

/**
 * How fast a host may be asked, found by what it answers: it's asked ever more slowly while it says
 * "too many requests", and a little faster with each answer.
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

  /** Runs a request as soon as the host may be asked. @throws what it throws; the signal's reason */
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
        // It waited in a limiter that was replaced.
        if (hasBegun || !(error instanceof Bottleneck.BottleneckError)) throw error;
      }
    }
  }

  /** It was asked too often. @param retryAfterMs what it said about when it may be asked again */
  slowDown(retryAfterMs: number | undefined): void {
    this.#spacingMs = Math.min(SLOWEST_MS, Math.max(FIRST_MS, this.#spacingMs * 2));
    const wait = Math.min(WAIT_MOST_MS, retryAfterMs ?? this.#spacingMs);
    this.#quietUntil = Math.max(this.#quietUntil, monotonicMs() + wait);
    this.#limiter.updateSettings({ minTime: this.spacingMs });
  }

  /** It has answered. */
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

/** The paces of all hosts, which several sources may share. */
export class HostPaces {
  readonly #paces = new Map<string, HostPace>();

  /** @param host with its port */
  of(host: string): HostPace {
    const known = this.#paces.get(host) ?? new HostPace();
    this.#paces.set(host, known);
    return known;
  }

  close(): void {
    for (const pace of this.#paces.values()) pace.close();
  }
}
