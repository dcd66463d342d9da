import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/** As Linux follows in a path: https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const MOST_LINKS = 40;

/**
 * Creates a file for this user alone if it isn't there: it will hold secrets of webhooks. SQLite gives its log the
 * same mode.
 * @param beside a file whose owner it gets if root makes it
 */
export function createPrivately(file: string, beside = file): void {
  try {
    const { O_CREAT, O_EXCL, O_RDWR } = constants;
    closeSync(openSync(file, O_CREAT | O_EXCL | O_RDWR, 0o600));
  } catch {
    // It's there, or SQLite will say why it can't be.
    return;
  }
  giveToOwner(file, beside);
}

/**
 * Gives a file that root has made to the owner of another, or of that one's folder while it isn't there, as SQLite
 * does with its logs: a service that runs as that user must be able to open it.
 */
export function giveToOwner(file: string, beside: string): void {
  if (process.getuid?.() !== 0) return;
  const like = beside === file ? undefined : statSync(beside, { throwIfNoEntry: false });
  const { uid, gid } = like ?? statSync(dirname(resolve(beside)));
  try {
    chownSync(file, uid, gid);
  } catch {
    // Some file systems know no owners.
  }
}

/**
 * The file that a name leads to, through symbolic links, as SQLite follows them: its log is beside that one. So
 * is all that we keep beside a database, or two names of one file would pass for two files.
 */
export function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // It isn't there yet, and may be where a link leads.
    return throughLinks(file);
  }
}

/** Follows links to a file that isn't there, as opening it for writing does. */
function throughLinks(file: string): string {
  let path = file;
  for (let links = 0; links < MOST_LINKS; links++) {
    const target = targetOf(path);
    if (target === undefined) return path;
    path = resolve(dirname(path), target);
  }
  return file;
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/**
 * Why a file that isn't there can't be made: a link in its path that leads nowhere, as before its disk is mounted.
 * A link to a new file in a folder that is there is none of these.
 * @returns a sentence that follows "because"; undefined if there's no such link
 */
export function whyLinkBroken(file: string): string | undefined {
  let path = resolve(file);
  for (; !existsSync(path); path = dirname(path)) {
    const next = targetOf(path);
    if (next === undefined) continue;
    const target = throughLinks(path);
    if (targetOf(target) !== undefined) return `the symbolic link ${path} leads back to itself`;
    if (path === resolve(file) && existsSync(dirname(target))) return undefined;
    return `the symbolic link ${path} leads to ${target}, which isn't there, as before its disk is mounted`;
  }
  return undefined;
}

/** A file's name as configured, with where it leads if it's a link. */
export function nameWithTarget(file: string): string {
  const real = realFile(file);
  return targetOf(file) === undefined || real === file ? file : `${file} (a link to ${real})`;
}

/** Whether two paths lead to one file, by whichever names or links. */
export function isSameInode(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) =>
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  );
  return first?.ino === second?.ino && first?.dev === second?.dev && first !== undefined;
}
