import { type Logger, monotonicMs } from '#base';
import { MemoryWork } from './memory-work.ts';
import { Replica } from './replica.ts';

/**
 * A replica that shares its work with no other.
 * @param clock monotonic milliseconds
 */
export function soleReplica(log: Logger, clock: () => number = monotonicMs): Replica {
  return new Replica({ id: 'sole', store: new MemoryWork(clock), log });
}
