import { realpathSync } from 'node:fs';

/**
 * The file that a name leads to, through symbolic links, as SQLite follows them: its log is beside that one. So
 * is all that we keep beside a database, or two names of one file would pass for two files.
 */
export function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // It isn't there yet.
    return file;
  }
}
