import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { size } from '#cli/size';
import { messageOf } from '#core/errors';
import { type Finding, fail, ok, warn } from '#runtime/finding';
import { explain } from '#stores/sqlite/errors';
import { requireOurs, schemaVersion } from '#stores/sqlite/migrate';
import { MIGRATIONS } from '#stores/sqlite/schema';

const MIB = 1024 * 1024;
/** Below this a write may fail at any time. */
const LEAST_FREE_BYTES = 32 * MIB;
/** Below this it is time to make room. */
const LITTLE_FREE_BYTES = 512 * MIB;

export interface DatabaseLook {
  readonly findings: readonly Finding[];
  /** Whether it can be opened as it is, without being made or changed. */
  readonly isReady: boolean;
}

/** Looks at a SQLite file without changing it. @param file its path */
export function checkSqliteFile(file: string): DatabaseLook {
  const space = checkSpace(file);
  if (!existsSync(file)) return { findings: [missing(file), space], isReady: false };
  const denied = checkAccess(file);
  if (denied !== undefined) return { findings: [denied], isReady: false };
  if (existsSync(`${file}-journal`)) return { findings: [unfinished(file), space], isReady: false };
  const content = checkContent(file);
  const findings = [...content, ok('size', sizeText(file)), space];
  return { findings, isReady: content.every(({ level }) => level === 'ok') };
}

function missing(file: string): Finding {
  const folder = existingParent(file);
  if (!statSync(folder).isDirectory()) {
    return fail('database', `${file} can't be made: ${folder} is not a folder.`);
  }
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return fail(
      'database',
      `${file} does not exist and can't be made: this user may not write in ${folder}.`,
    );
  }
  return warn('database', `${file} does not exist yet. "fathom import FILE" makes and fills it.`);
}

/** Such a journal can be undone only by who may write, and a look must not. */
function unfinished(file: string): Finding {
  const text = `${file} is being filled by "fathom migrate-store", or that was cut off. The next start takes back what was not finished.`;
  return warn('database', text);
}

function checkAccess(file: string): Finding | undefined {
  if (!statSync(file).isFile()) return fail('database', `${file} is not a file.`);
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    // The log beside it is made and removed there.
    accessSync(dirname(resolve(file)), constants.W_OK);
    return undefined;
  } catch {
    return fail(
      'database',
      `${file} and its folder must be readable and writable for this user; they are not.`,
    );
  }
}

function checkContent(file: string): Finding[] {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
    requireOurs(db, file);
    const version = schemaVersion(db);
    const isNewest = version === MIGRATIONS.length;
    return [
      ok('database', `${file} is Fathom's`),
      isNewest
        ? ok('schema', `version ${version}, the newest`)
        : warn('schema', `version ${version}; the next start brings it to ${MIGRATIONS.length}`),
      checkPages(db, file),
    ];
  } catch (error) {
    return [fail('database', messageOf(explain(error, file)))];
  } finally {
    db?.close();
  }
}

function checkPages(db: DatabaseSync, file: string): Finding {
  const faults = db.prepare('PRAGMA quick_check(5)').all();
  const texts = faults.map((row) => String(row.quick_check));
  if (texts.length === 1 && texts[0] === 'ok') return ok('pages', 'quick check found no damage');
  return fail(
    'pages',
    `${file} is damaged (${texts.join('; ')}). Put a backup in its place, or import into a new file.`,
  );
}

function checkSpace(file: string): Finding {
  const folder = existingParent(file);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${size(free)} free in ${folder}`;
  if (free < LEAST_FREE_BYTES) return fail('disk', `${text}. Make room, or imports will fail.`);
  if (free < LITTLE_FREE_BYTES) return warn('disk', `${text}. Make room before the next import.`);
  return ok('disk', text);
}

function sizeText(file: string): string {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return `${size(statSync(file).size)}${log > 0 ? `, and ${size(log)} of log` : ''}`;
}

/** The folder that the file is in or will be made in, or the nearest one above that exists. */
function existingParent(file: string): string {
  let folder = dirname(resolve(file));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
