import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { constants, getPriority, platform, setPriority } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { monotonicMs } from '#base/time/clock';

/** As Node names V8's threads, which collect the garbage of all others. */
const HELPER = 'node-V8Worker';

/**
 * Lowers the priority of the calling thread and of V8's helpers, which mostly work for such threads, so that
 * the one that serves doesn't wait for them where there's more to do than there are cores. Only on Linux,
 * where a priority belongs to a thread: elsewhere it's the whole process's, and nothing changes. They still
 * get a tenth of a core that others keep busy, so that the thread doesn't look dead.
 * @param system for tests
 */
export async function lowerThreadPriority(system: string = platform()): Promise<void> {
  if (system !== 'linux') return;
  // libuv's pool serves all threads, but starts with the priority of the one that needs it first.
  await stat('.').catch(() => undefined);
  try {
    // Without a process id, it's the calling thread's.
    const priority = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
    setPriority(priority);
    for (const thread of helpers()) setPriority(thread, priority);
  } catch {
    // Not permitted, or there's no /proc: the others stay equal.
  }
}

function helpers(): number[] {
  const threads = readdirSync('/proc/self/task');
  const nameOf = (thread: string) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
  return threads.filter((thread) => nameOf(thread) === HELPER).map(Number);
}

/** Milliseconds before a thread that is still there is told to end once more. */
const END_AGAIN_MS = 1_000;

/**
 * Ends a thread. One that is told while it starts may miss it and go on, for good if it's in a loop; so it's told
 * until it has ended.
 */
export async function endThread(worker: Worker): Promise<void> {
  // Each `terminate` listens for the end, also through a statement of minutes.
  worker.setMaxListeners(0);
  const again = setInterval(() => void worker.terminate(), END_AGAIN_MS).unref();
  try {
    await worker.terminate();
  } finally {
    clearInterval(again);
  }
}

/**
 * The most time that counts between two checks, so that a pause of the whole machine doesn't look like
 * silence.
 */
const STEP_MOST_MS = 2_000;

/** Measures how long a thread has been silent (see `beat`), in time that its watcher was running. */
export class Watchdog {
  readonly counter = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #beats = new Int32Array(this.counter);
  readonly #clock: () => number;
  #seen = 0;
  #checkedAt: number;
  #silentMs = 0;

  /** @param clock monotonic milliseconds */
  constructor(clock: () => number = monotonicMs) {
    this.#clock = clock;
    this.#checkedAt = clock();
  }

  /** Call it every second. @returns for how many milliseconds there was no heartbeat */
  check(): number {
    const beats = Atomics.load(this.#beats, 0);
    const now = this.#clock();
    const passed = Math.min(now - this.#checkedAt, STEP_MOST_MS);
    this.#silentMs = beats === this.#seen ? this.#silentMs + passed : 0;
    this.#seen = beats;
    this.#checkedAt = now;
    return this.#silentMs;
  }
}
