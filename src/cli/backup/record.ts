import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { UserError } from '#base';
import { count } from '#cli/count';
import { size } from '#cli/size';
import { formatTable } from '#cli/table';
import type { Contents } from '#storage/sqlite';

/** What a backup is, in a file of its own beside it. */
export interface BackupRecord {
  readonly sha256: string;
  readonly bytes: number;
  /** The version of Fathom that made it. */
  readonly fathom: string;
  readonly schema: number;
  /** ISO 8601. */
  readonly takenAt: string;
  readonly contents: Contents;
}

export const recordPath = (backup: string) => `${backup}.json`;

/**
 * The record beside a backup; undefined if there is none.
 * @throws UserError `wrong-usage` if it isn't one
 */
export function readBackupRecord(backup: string): BackupRecord | undefined {
  const path = recordPath(backup);
  if (!existsSync(path)) return undefined;
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(found)) return found;
  } catch {}
  throw new UserError(
    'wrong-usage',
    `${path} isn't what "fathom backup" writes beside a backup. Without that file, restore can't compare the digest; move it away to restore all the same.`,
  );
}

function isRecord(found: unknown): found is BackupRecord {
  if (typeof found !== 'object' || found === null) return false;
  const { sha256, takenAt } = found as Partial<BackupRecord>;
  return /^[0-9a-f]{64}$/.test(String(sha256)) && /^[\d:.TZ-]{20,24}$/.test(String(takenAt));
}

/** SHA-256 of a file, as `sha256sum` prints it. */
export async function digestOf(path: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const part of createReadStream(path, { highWaterMark: 1024 * 1024 })) sum.update(part);
  return sum.digest('hex');
}

export function recordTable({ sha256, bytes, fathom, schema, takenAt, contents }: BackupRecord) {
  return formatTable(
    [
      ['sha256', sha256],
      ['size', `${size(bytes)} (${count(bytes)} bytes)`],
      ['made by', `Fathom ${fathom}, schema ${schema}`],
      ['taken at', takenAt],
      ...countBackupRows(contents),
    ],
    'll',
  );
}

export function countBackupRows(contents: Contents): string[][] {
  return Object.entries(contents).map(([name, number]) => [name, count(number)]);
}
