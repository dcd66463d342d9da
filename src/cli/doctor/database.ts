import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CheckFinding, fail, formatTime, messageOf, ok, warn } from '#base';
import { networksOf, statIfThere } from '#base/process';
import { counted, size } from '#cli/format';
import { newestVersion } from '#storage';
import {
  columnsIn,
  faultsOf,
  nameWithTarget,
  realFile,
  requireOurs,
  requireOwnLog,
  schemaVersion,
  translateError,
  unlikeVersion,
  whyLinkBroken,
  whyNotWritable,
} from '#storage/sqlite';
import { type DatabaseKind, MIGRATIONS, missingColumns } from '#storage/tables';

const MIB = 1024 * 1024;
/** Below this, writes may fail at any time. */
const LEAST_FREE_BYTES = 32 * MIB;
/** Below this, it's time to free up space. */
const LITTLE_FREE_BYTES = 512 * MIB;

interface SqliteReport {
  readonly findings: readonly CheckFinding[];
  /** Whether it can be opened without creating or changing anything. */
  readonly isReady: boolean;
}

/** Checks a SQLite file without changing it. @param file its path */
export function checkSqliteFile(file: string): SqliteReport {
  const space = checkSpace(file);
  try {
    if (statIfThere(file) === undefined)
      return { findings: [missing(file), space], isReady: false };
  } catch (error) {
    return { findings: [fail('database', messageOf(error)), space], isReady: false };
  }
  const denied = checkAccess(file);
  if (denied !== undefined) return { findings: [denied, space], isReady: false };
  if (existsSync(`${realFile(file)}-journal`))
    return { findings: [unfinished(file), space], isReady: false };
  const content = checkContent(file);
  const findings = [...content, ok('size', sizeText(file)), space];
  return { findings, isReady: content.every(({ level }) => level === 'ok') };
}

function missing(file: string): CheckFinding {
  try {
    requireOwnLog(file);
  } catch (error) {
    return fail('database', messageOf(error));
  }
  const broken = whyLinkBroken(file);
  if (broken !== undefined) return fail('database', `${file} can't be created, because ${broken}.`);
  const folder = existingParent(file);
  if (!statSync(folder).isDirectory()) {
    return fail('database', `${file} can't be created: ${folder} is not a folder.`);
  }
  const obstacle = whyNotWritable(join(folder, 'fathom.db'));
  if (obstacle !== undefined) {
    const { reason } = obstacle;
    return fail('database', `${file} doesn't exist and can't be created, because ${reason}.`);
  }
  return unused(file, "doesn't exist yet");
}

function unused(file: string, state: string): CheckFinding {
  const text = `${nameWithTarget(file)} ${state}. Starting Fathom creates it, as does "fathom import FILE".`;
  return warn('database', text);
}

/**
 * A start that creates the file, or a copy from another store. Rolling such a journal back takes write access, which a
 * check must not use.
 */
function unfinished(file: string): CheckFinding {
  const text = `${file} has an unfinished start or "fathom migrate-store". If neither is running any more, the next start rolls it back.`;
  return warn('database', text);
}

function checkAccess(file: string): CheckFinding | undefined {
  if (!statSync(file).isFile()) return fail('database', `${file} is not a file.`);
  try {
    accessSync(file, constants.R_OK);
  } catch {
    return fail('database', `${file} and its folder must be readable and writable by this user.`);
  }
  // SQLite creates and removes the log in the folder of the file itself.
  const obstacle = whyNotWritable(realFile(file));
  if (obstacle === undefined) return undefined;
  return fail('database', `${file} can't be written, because ${obstacle.reason}.`);
}

function checkContent(file: string): CheckFinding[] {
  let db: DatabaseSync | undefined;
  try {
    requireOwnLog(file);
    db = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
    requireOurs(db, file);
    const version = schemaVersion(db);
    const schema = schemaFinding(db, version);
    // As a start that was killed leaves it.
    if (version === 0 && schema.level !== 'fail') return [unused(file, 'is empty')];
    const database = ok('database', `${file} is Fathom's`);
    // What is on the pages can't be compared without all tables.
    return schema.level === 'fail' ? [database, schema] : [database, schema, checkPages(db, file)];
  } catch (error) {
    return [fail('database', messageOf(translateError(error, file)))];
  } finally {
    db?.close();
  }
}

function schemaFinding(db: DatabaseSync, version: number): CheckFinding {
  const newest = newestVersion(MIGRATIONS.sqlite);
  if (version === newest) return newestSchemaFinding(version, columnsIn(db), 'sqlite');
  const unlike = unlikeVersion(db);
  if (unlike === undefined) {
    return warn('schema', `version ${version}; the next start migrates it to ${newest}`);
  }
  return fail('schema', `something other than Fathom changed it: ${unlike}. Restore a backup.`);
}

function checkPages(db: DatabaseSync, file: string): CheckFinding {
  const faults = faultsOf(db, 'quick_check');
  if (faults.length === 0) return ok('pages', 'quick check found no damage');
  return fail(
    'pages',
    `${file} is damaged (${faults.join('; ')}). Restore a backup, or import into a new file.`,
  );
}

function checkSpace(file: string): CheckFinding {
  const folder = existingParent(file);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${size(free)} free in ${folder}`;
  if (free < LEAST_FREE_BYTES) return fail('disk', `${text}. Free up space, or imports will fail.`);
  if (free < LITTLE_FREE_BYTES)
    return warn('disk', `${text}. Free up space before the next import.`);
  return ok('disk', text);
}

function sizeText(file: string): string {
  const log = statSync(`${realFile(file)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return `${size(statSync(file).size)}${log > 0 ? `, and ${size(log)} of log` : ''}`;
}

/** The folder of the file itself, or its nearest existing parent. */
function existingParent(file: string): string {
  let folder = dirname(resolve(realFile(file)));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

/**
 * Reports how much data there is.
 * @param activities imported with points of their own; rules need none
 * @param changedAt when any of it last changed, by an import or by rules: seconds since 1970
 */
export function dataFinding(
  wallets: number,
  activities: number,
  changedAt: number | undefined,
): CheckFinding {
  if (wallets === 0) {
    return warn(
      'data',
      'no wallet has any activity yet. Import data with "fathom import FILE"; imported events count once RULES names the file of rules, and if these read chains, "fathom sources" shows how far they are.',
    );
  }
  const imported = counted(activities, 'imported activity', 'imported activities');
  const parts = [
    counted(wallets, 'wallet', 'wallets'),
    ...(activities === 0 ? [] : [imported]),
    ...(changedAt === undefined ? [] : [`last change ${formatTime(changedAt)}`]),
  ];
  return ok('data', parts.join(', '));
}

/** More columns than these don't help to recognise what happened. */
const SHOWN_COLUMNS = 5;

/**
 * Reports on a database of the newest schema: whether it has everything that belongs to it.
 * @param there its columns, as `table.column`
 */
export function newestSchemaFinding(
  version: number,
  there: ReadonlySet<string>,
  database: DatabaseKind,
): CheckFinding {
  const missing = missingColumns(there, database);
  if (missing.length === 0) return ok('schema', `version ${version}, the latest`);
  const more = missing.length > SHOWN_COLUMNS ? ', …' : '';
  const names = missing.slice(0, SHOWN_COLUMNS).join(', ') + more;
  return fail(
    'schema',
    `version ${version}, the latest, but something other than Fathom changed it: ${names} isn't there. Restore a backup.`,
  );
}

/** Loopback and private networks: https://www.rfc-editor.org/rfc/rfc6890 */
const OWN_NETWORKS = networksOf([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
]);

/**
 * Whether a connection can be intercepted.
 * @param socket a connection to a server
 * @param advice what to do if it can
 */
export function checkTransport(
  subject: string,
  socket: Pick<Socket, 'remoteAddress'> & { readonly encrypted?: unknown },
  advice: string,
): CheckFinding {
  if (socket.encrypted === true) return ok(subject, 'encrypted by TLS');
  const address = socket.remoteAddress;
  if (address === undefined) return ok(subject, 'on this machine');
  if (OWN_NETWORKS.has(address)) {
    return ok(subject, 'not encrypted, but on this machine or a private network');
  }
  return warn(subject, `goes to ${address} without TLS and can be intercepted. ${advice}`);
}
