import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, UserError } from '#base';

/**
 * Creates a database's folder and its parents. Not with Node's `recursive`, which loops forever if
 * the system says that a folder is missing but can't be created, as under /proc.
 * @param file the database, as configured
 * @throws UserError `wrong-configuration`
 */
export function makeFolder(folder: string, file: string): void {
  const missing: string[] = [];
  let above = folder;
  for (; statOf(above, file) === undefined; above = dirname(above)) missing.unshift(above);
  if (statOf(above, file)?.isDirectory() === false) {
    throw cannot(file, `${above} isn't a folder`);
  }
  for (const each of missing) {
    try {
      mkdirSync(each);
    } catch (error) {
      // Another process may have created it at the same moment.
      if (codeOf(error) !== 'EEXIST') throw cannot(file, why(error, each));
    }
  }
}

/** Why SQLite couldn't open the file for writing, phrased to follow "because". */
export function whyNotWritable(file: string): string {
  const folder = dirname(file);
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) return 'it is a folder';
    if (found !== undefined) accessSync(file, constants.W_OK);
    // SQLite writes a journal next to the file.
    accessSync(folder, constants.W_OK);
    return `no file can be made in ${folder}`;
  } catch (error) {
    switch (codeOf(error)) {
      case 'EROFS':
        return `the disk of ${folder} is read-only`;
      case 'EACCES':
      case 'EPERM':
        return 'this user may not write it, or make files in its folder';
      default:
        return messageOf(error);
    }
  }
}

function statOf(path: string, file: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannot(file, why(error, path));
  }
}

function why(error: unknown, folder: string): string {
  switch (codeOf(error)) {
    case 'EROFS':
      return `the disk of ${folder} is read-only`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not create or enter the folder ${folder}`;
    default:
      return `the folder ${folder} can't be created: ${messageOf(error)}`;
  }
}

function cannot(file: string, reason: string): UserError {
  return new UserError(
    'wrong-configuration',
    `DATABASE_URL: can't create ${file}, because ${reason}. Use a file that this user may write.`,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
