import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lowers our priority, so that a server on the same machine stays fast. New threads inherit it, but
 * existing ones, such as garbage collection, need setting one by one: on Linux, priority belongs to
 * a thread. Best effort, because not every environment allows it.
 */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
    for (const thread of readdirSync('/proc/self/task')) {
      setPriority(Number(thread), constants.priority.PRIORITY_LOW);
    }
  } catch {}
}

/** Between -1000 and 1000; others have 0, and Kubernetes gives its containers up to 1000. */
const OOM_SCORE = 500;

/**
 * Lets the kernel end this process before a server when memory runs out, on the machine or in their container. Only
 * Linux knows that, and nothing helps where a container ends as a whole (`memory.oom.group`, as on Kubernetes).
 */
export function raiseOomScore(): void {
  try {
    const own = Number(readFileSync('/proc/self/oom_score_adj', 'utf8'));
    if (own < OOM_SCORE) writeFileSync('/proc/self/oom_score_adj', String(OOM_SCORE));
  } catch {}
}

const TASKSET_MS = 5_000;

/**
 * Keeps this process off its first core, if it may use others. A low priority isn't enough: with all
 * cores busy, a server waits milliseconds until the kernel preempts a thread. Node can't set CPU
 * affinity, so we run `taskset`; without util-linux nothing changes.
 * @returns false if `taskset` timed out, because all cores are busy and our priority is low
 */
export function leaveOneCore(): boolean {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const [first, ...others] = coresOf(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '');
    if (first === undefined || others.length === 0) return true;
    const args = ['-a', '-c', '-p', others.join(','), String(process.pid)];
    const { error } = spawnSync('taskset', args, { stdio: 'ignore', timeout: TASKSET_MS });
    return !(error && 'code' in error && error.code === 'ETIMEDOUT');
  } catch {
    return true;
  }
}

/** @param list in the kernel's format, such as `0-3,8` */
function coresOf(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

/** Exit codes after a signal: 128 plus its number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** Tracks whether the user asked to stop. */
interface Interruption {
  readonly signal: AbortSignal;
  /** The exit code for the received signal; 0 if there was none. */
  exitCode(): number;
  /** Stops listening. */
  dispose(): void;
}

/**
 * Turns the first SIGINT or SIGTERM into an abort; a second one exits immediately.
 * @param onStop called on the first
 */
export function listenForInterrupt(onStop: () => void): Interruption {
  const controller = new AbortController();
  let exitCode = 0;
  const stop = (name: StopSignal) => {
    if (controller.signal.aborted) process.exit(EXIT_CODES[name]);
    exitCode = EXIT_CODES[name];
    onStop();
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    dispose: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}
