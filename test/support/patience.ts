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
  const [processes = 0] = loadavg();
  const slowness = processes / availableParallelism() / OWN_LOAD;
  return Math.round(milliseconds * Math.min(Math.max(slowness, 1), LONGEST));
}
