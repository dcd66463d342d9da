import { monotonicMs } from '#core/clock';
import type { Logger } from '#core/logger';
import { MemoryWork } from '#core/work/memory-work';
import { Replica } from '#core/work/replica';

/**
 * A replica that shares its work with no other.
 * @param clock monotonic milliseconds
 */
export function soleReplica(log: Logger, clock: () => number = monotonicMs): Replica {
  return new Replica({ id: 'sole', store: new MemoryWork(clock), log });
}
