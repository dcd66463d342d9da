import { type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, UserError } from '#base/errors';
import { systemCodeOf } from './system-code.ts';

/**
 * What the system says of a file; undefined if it isn't there.
 * @throws UserError `wrong-configuration` if that can't be said, which Node's `existsSync` takes for "not there"
 */
export function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unknown(path, error);
  }
}

function unknown(path: string, cause: unknown): UserError {
  return new UserError('wrong-configuration', whyUnknown(path, cause), [], { cause });
}

function whyUnknown(path: string, error: unknown): string {
  switch (systemCodeOf(error)) {
    case 'EACCES':
      return `${path} can't be found, as this user may not enter ${closedAbove(path)}. Run it as a user who may, or choose another place.`;
    case 'ELOOP':
      return `${path} can't be found, as a symbolic link in it leads back to itself.`;
    default:
      return `${path} can't be found: ${messageOf(error)}.`;
  }
}

/** The first folder on the way to a file that can't be entered. */
function closedAbove(path: string): string {
  const folders: string[] = [];
  for (let at = dirname(resolve(path)); folders[0] !== at; at = dirname(at)) folders.unshift(at);
  return folders.find(isClosed) ?? 'a folder to which a link in it leads';
}

function isClosed(folder: string): boolean {
  try {
    // Unlike `access`, by the rights that opening a file takes.
    statSync(`${folder}/.`);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'EACCES';
  }
}
