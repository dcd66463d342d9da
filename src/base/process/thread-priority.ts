import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { constants, getPriority, platform, setPriority } from 'node:os';

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
