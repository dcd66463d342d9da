import { constants } from 'node:os';

/** The system's code of an error, such as `ENOSPC`. Node has none for a quota that is used up. */
export function systemCodeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if ('errno' in error && error.errno === -constants.errno.EDQUOT) return 'EDQUOT';
  return 'code' in error ? error.code : undefined;
}
