import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

/** Processes per core that the tests themselves keep busy. */
const OWN_LOAD = 4;
/** Of the usual time, so that a hang ends on any machine. */
const LONGEST = 6;

/**
 * How long to wait for what must come: longer while others keep the machine busy too.
 * @param milliseconds that are enough on a machine with nothing else to do
 */
export function patienceMs(milliseconds = 50_000): number {
  const slowness = busyProcesses() / availableParallelism() / OWN_LOAD;
  return Math.round(milliseconds * Math.min(Math.max(slowness, 1), LONGEST));
}

/** Over the last minute or, where the system tells and it's more, now: load that has just begun counts too. */
function busyProcesses(): number {
  const [lately = 0] = loadavg();
  try {
    // "0.20 0.18 0.12 3/80 11206": 3 of 80 threads are running or wait for a core.
    const [, now = 0] = / (\d+)\/\d+ \d+\n$/.exec(readFileSync('/proc/loadavg', 'utf8')) ?? [];
    return Math.max(lately, Number(now));
  } catch {
    return lately;
  }
}
