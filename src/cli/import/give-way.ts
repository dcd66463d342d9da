import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * So that a server on the same machine keeps its speed. The threads that are started later inherit
 * it; those that are there already, which collect garbage, have to be asked one by one, for Linux
 * knows the priority of threads alone. Not everywhere allowed, never needed.
 */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
    for (const thread of readdirSync('/proc/self/task')) {
      setPriority(Number(thread), constants.priority.PRIORITY_LOW);
    }
  } catch {}
}

const TASKSET_MS = 5_000;

/**
 * Keeps this process off the first core that it may use, if it may use others. A low priority is
 * not enough for a server: where every core is taken it waits for milliseconds until the system has
 * put somebody off. Node can't choose cores itself; where util-linux is missing nothing changes.
 * @returns false if it did not come to that in time: cores are taken, and its priority is low
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

/** @param list as the kernel writes it, such as `0-3,8` */
function coresOf(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}
