import { type CheckFinding, fail, formatTime, ok, warn } from '#base';
import { counted } from '#cli/count';
import { type DatabaseKind, missingColumns } from '#storage/tables';

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

/** More columns than these don't help to recognise what happened. */
const SHOWN_COLUMNS = 5;

/**
 * Reports on a database of the newest schema: whether it has everything that belongs to it.
 * @param there its columns, as `table.column`
 */
export function newestSchemaFinding(
  version: number,
  there: readonly string[],
  database: DatabaseKind,
): CheckFinding {
  const missing = missingColumns(new Set(there), database);
  if (missing.length === 0) return ok('schema', `version ${version}, the latest`);
  const more = missing.length > SHOWN_COLUMNS ? ', …' : '';
  const names = missing.slice(0, SHOWN_COLUMNS).join(', ') + more;
  return fail(
    'schema',
    `version ${version}, the latest, but something other than Fathom changed it: ${names} isn't there. Restore a backup.`,
  );
}
