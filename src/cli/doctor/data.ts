import { formatTime } from '#core/time';
import { type Finding, ok, warn } from '#runtime/finding';

/**
 * How much there is to answer from.
 * @param lastImportAt seconds since 1970; undefined when there was none
 */
export function dataFinding(
  wallets: number,
  activities: number,
  lastImportAt: number | undefined,
): Finding {
  if (wallets === 0 || lastImportAt === undefined) {
    return warn('data', 'no wallet has any activity yet. Fill it with "fathom import FILE".');
  }
  const counts = `${wallets.toLocaleString('en-US')} wallets, ${activities.toLocaleString('en-US')} activities`;
  return ok('data', `${counts}, last import ${formatTime(lastImportAt)}`);
}
