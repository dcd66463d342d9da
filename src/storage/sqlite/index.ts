/** What the command line asks of a SQLite file itself: backup, restore, contents. */

export type { Contents } from '#storage/tables/contents';
export { copyDatabase } from './file/backup.ts';
export { columnsIn, faultsOf, unlikeVersion } from './file/contents.ts';
export { makeFolder, translateError, whyNotWritable } from './file/errors.ts';
export { requireOwnLog } from './file/lineage.ts';
export { isSameInode, nameWithTarget, realFile, whyLinkBroken } from './file/owner.ts';
export { dropWithLog, placeCopy, prepareCopy, replaceDatabase } from './file/restore.ts';
export { requireOurs, schemaVersion } from './migrate.ts';
export { markServed } from './serving.ts';
