/** What the command line asks of a SQLite file itself: backup, restore, contents. */

export { copyDatabase } from './backup.ts';
export { type Contents, faultsOf } from './contents.ts';
export { translateError } from './errors.ts';
export { makeFolder } from './folder.ts';
export { requireOwnLog } from './lineage.ts';
export { requireOurs, schemaVersion } from './migrate.ts';
export { markServed } from './presence.ts';
export { dropWithLog, placeCopy, prepareCopy, replaceDatabase } from './restore.ts';
