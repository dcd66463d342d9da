import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often to ask the system, in milliseconds. */
const LOOK_MS = 5;

/**
 * Waits until a process has ended or has used some CPU time. How far it gets in a second of real time depends
 * on what else the machine does; in a second of CPU time it doesn't.
 * @param most seconds of CPU time, of all threads
 * @returns the CPU time used, in steps of 10 ms
 */
export async function computed(
  child: ChildProcess,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const ended = once(child, 'exit');
  let isOver = child.exitCode !== null || child.signalCode !== null;
  void ended.then(() => {
    isOver = true;
  });
  let seconds = 0;
  while (!isOver && seconds < most) {
    await Promise.race([ended, sleep(LOOK_MS)]);
    seconds = secondsOf(child.pid) ?? seconds;
  }
  return seconds;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html; a tick is 10 ms everywhere. */
function secondsOf(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before them may contain anything. User and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}
