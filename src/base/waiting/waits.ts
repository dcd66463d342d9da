import { type BackoffRange, doublingDelay } from '#base/retry';

/**
 * Resolves after the delay, or as soon as the signal aborts; never rejects.
 * @param signal may be an older AbortSignal type, such as grammY's
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted || milliseconds <= 0) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
  });
}

/**
 * Waits for work, up to a deadline. After that the work continues, but its result or error is
 * dropped.
 * @param onLate returns a substitute result, or throws; without it the result is undefined
 */
export function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined>;
export function within<T, L>(
  work: Promise<T>,
  milliseconds: number,
  onLate: () => L,
): Promise<T | L>;
export async function within<T, L>(
  work: Promise<T>,
  milliseconds: number,
  onLate?: () => L,
): Promise<T | L | undefined> {
  // Not AbortSignal.timeout, which lives for its full duration: at a hundred commands a second
  // those would be most of the process's memory.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), milliseconds);
  });
  try {
    const first = await Promise.race([work, deadline]);
    return first === LATE ? onLate?.() : first;
  } finally {
    clearTimeout(timer);
  }
}

const LATE = Symbol('late');

/** How often we look. */
const TICK_MS = 100;

let timer: ReturnType<typeof setInterval> | undefined;
let due = 0;
let lost = 0;

/**
 * Milliseconds for which this process could take no answer: it was busy, stopped, or had no processor time. A wait
 * during which these grew shows nothing about the other side: timers come first when the process goes on, before
 * what has arrived meanwhile. Counted from the first call.
 */
export function heldUpMs(): number {
  const now = performance.now();
  if (timer === undefined) {
    due = now + TICK_MS;
    timer = setInterval(tick, TICK_MS);
    timer.unref();
  }
  return lost + Math.max(0, now - due);
}

function tick(): void {
  const now = performance.now();
  lost += Math.max(0, now - due);
  due = now + TICK_MS;
}

/** Like `within`, but the time for which this process was held up doesn't count. */
export async function withinAwake<T, L>(
  work: Promise<T>,
  milliseconds: number,
  onLate: () => L,
): Promise<T | L> {
  for (let wait = milliseconds; ; ) {
    const before = heldUpMs();
    const first = await within(work, wait, (): typeof HELD_UP => HELD_UP);
    if (first !== HELD_UP) return first;
    wait = Math.min(heldUpMs() - before, milliseconds);
    if (wait < 1) return onLate();
  }
}

const HELD_UP = Symbol('held up');

/**
 * Runs work with a signal that aborts after some time, or as soon as one of others does.
 *
 * Not `AbortSignal.any` with `AbortSignal.timeout`: the latter lives on for its whole time and keeps the former,
 * which also rejects the older signals of grammY. Here nothing of a call remains once it has ended.
 * @param milliseconds until it aborts with a `TimeoutError`; undefined for no limit of its own
 */
export async function withDeadline<T>(
  milliseconds: number | undefined,
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const followed = signals.filter((each) => each !== undefined);
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => ending.abort(late()), milliseconds);
  const follow = () => ending.abort(followed.find(({ aborted }) => aborted)?.reason);
  for (const each of followed) each.addEventListener('abort', follow);
  if (followed.some(({ aborted }) => aborted)) follow();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    for (const each of followed) each.removeEventListener('abort', follow);
  }
}

function late(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}

/**
 * Delay after the n-th consecutive failure, with jitter over the upper half of the doubling delay so
 * that processes don't retry in step.
 */
export function backoff(
  failures: number,
  range: BackoffRange,
  random: () => number = Math.random,
): number {
  return doublingDelay(failures, range) * (0.5 + random() / 2);
}

/** Counts consecutive failures and computes the delay after each. */
export class Backoff {
  readonly #range: BackoffRange;
  #failures = 0;

  constructor(range: BackoffRange) {
    this.#range = range;
  }

  /** The delay after one more failure, in milliseconds. */
  next(): number {
    this.#failures += 1;
    return backoff(this.#failures, this.#range);
  }

  reset(): void {
    this.#failures = 0;
  }
}
