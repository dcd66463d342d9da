import { type Logger, ProblemLog } from '#base';
import type { DiskFault } from '#storage/store';
import { whyNotWritable } from './errors.ts';

const EVERY_MS = 15_000;

/** Other obstacles, such as a lack of file descriptors, aren't the disk's. */
const FAULTS: ReadonlyMap<unknown, DiskFault> = new Map([
  ['EROFS', { is: 'read-only', isFailing: true }],
  ['EIO', { is: 'failing', isFailing: true }],
  ['ENOSPC', { is: 'full', isFailing: false }],
  ['EDQUOT', { is: 'full', isFailing: false }],
]);

/** What keeps a file's disk from being written, as of the last look. */
export interface DiskWatch {
  readonly fault: DiskFault | undefined;
  end(): void;
}

/** Looks now and then whether a file's disk can be written: reading goes on without a word where it can't. */
export function watchDisk(file: string, log: Logger, obstacle = whyNotWritable): DiskWatch {
  const trouble = new ProblemLog(log);
  let fault: DiskFault | undefined;
  const look = () => {
    const found = obstacle(file);
    fault = FAULTS.get(found?.code);
    if (fault === undefined) trouble.resolve('the database can be written again');
    else {
      const fields = { reason: found?.reason };
      const text = "the database can't be written: what members and moderators do is refused";
      trouble.report(fault.is, 'error', fields, text);
    }
  };
  look();
  const timer = setInterval(look, EVERY_MS).unref();
  return {
    get fault() {
      return fault;
    },
    end: () => clearInterval(timer),
  };
}
