import type { Logger } from '#core/logger';
import { MemoryWork } from '#core/work/memory';
import { Replica } from '#core/work/replica';

/**
 * A replica that shares its work with no other.
 * @param clock milliseconds since 1970
 */
export function soleReplica(log: Logger, clock: () => number = Date.now): Replica {
  return new Replica({ id: 'sole', store: new MemoryWork(clock), log });
}
