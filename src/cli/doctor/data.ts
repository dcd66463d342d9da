import { counted } from '#cli/count';
import { formatTime } from '#core/time';
import { type CheckFinding, ok, warn } from '#runtime/finding';

/**
 * Reports how much data there is.
 * @param lastImportAt seconds since 1970; undefined if there was no import
 */
export function dataFinding(
  wallets: number,
  activities: number,
  lastImportAt: number | undefined,
): CheckFinding {
  if (wallets === 0) {
    return warn(
      'data',
      'no wallet has any activity yet. Import data with "fathom import FILE"; if rules read chains, "fathom sources" shows how far they are.',
    );
  }
  const counts = `${counted(wallets, 'wallet', 'wallets')}, ${counted(activities, 'imported activity', 'imported activities')}`;
  const last = lastImportAt === undefined ? '' : `, last import ${formatTime(lastImportAt)}`;
  return ok('data', counts + last);
}
