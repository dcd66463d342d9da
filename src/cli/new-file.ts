import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf, RetryableError, UserError } from '#base';
import { flushFolder, statIfThere, systemCodeOf } from '#base/process';

/**
 * A new file for a result. It is written beside its place and moved there once it is whole, so that
 * nothing partial ever has its name, however the process ends.
 */
export class NewFile {
  readonly #path: string;
  readonly #part: string;
  readonly #fd: number;
  #isOpen = true;
  #hasName = false;
  readonly #onExit = () => this.close();

  /**
   * @param mode its permissions, if others than usual
   * @throws UserError `wrong-usage` if there is such a file, none can be created there, or it's `-`
   * @throws RetryableError if the disk is full or read-only
   */
  constructor(path: string, mode?: number) {
    // Elsewhere that's standard output, which nothing here is written to.
    if (path === '-') throw refusal("Can't write -: name a file.", undefined);
    this.#path = path;
    this.#part = `${path}.${randomUUID().slice(0, 8)}.part`;
    if (isThere(path)) throw taken(path);
    this.#fd = create(this.#part, path, mode);
    // A second SIGINT exits without unwinding.
    process.once('exit', this.#onExit);
  }

  /** The file's name until then, for what writes to a name; it's empty. */
  get part(): string {
    return this.#part;
  }

  /** Appends. @throws RetryableError if the disk is full or fails */
  write(data: string | Uint8Array): void {
    this.#try(() => writeFully(this.#fd, typeof data === 'string' ? Buffer.from(data) : data));
  }

  /**
   * Gives the file its name. Nothing more can be written.
   * @throws UserError `wrong-usage` if somebody else has created such a file meanwhile
   * @throws RetryableError if the disk is full or fails
   */
  finish(): void {
    this.#try(() => fsyncSync(this.#fd));
    try {
      // Unlike a rename, it never replaces a file.
      linkSync(this.#part, this.#path);
    } catch (error) {
      if (isThere(this.#path)) throw taken(this.#path, error);
      // Some file systems have no links.
      this.#try(() => renameSync(this.#part, this.#path));
    }
    this.#hasName = true;
    this.#try(() => flushFolder(dirname(this.#path)));
    this.close();
  }

  /** Takes its name away again, where others without which it's no use have none. */
  withdraw(): void {
    if (this.#hasName) rmSync(this.#path, { force: true });
    this.#hasName = false;
  }

  /** Removes what isn't finished. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off('exit', this.#onExit);
    try {
      closeSync(this.#fd);
      // SQLite keeps a journal beside what it writes.
      for (const suffix of ['', '-journal']) rmSync(this.#part + suffix, { force: true });
    } catch {
      // A disk that has failed meanwhile: what was written before says so.
    }
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw new RetryableError(unwritable(this.#path, error), { cause: error });
    }
  }
}

/** Gives all of them their names, in this order, or none. @throws as `finish` */
export function finishAll(files: readonly NewFile[]): void {
  try {
    for (const file of files) file.finish();
  } catch (error) {
    for (const file of files) file.withdraw();
    throw error;
  }
}

function create(part: string, path: string, mode: number | undefined): number {
  try {
    return openSync(part, 'wx', mode);
  } catch (cause) {
    const words = diskFault(path, cause);
    if (words !== undefined) throw new RetryableError(words, { cause });
    throw refusal(unwritable(path, cause), cause);
  }
}

function isThere(path: string): boolean {
  // A link that leads nowhere is there, too.
  return (
    statIfThere(path) !== undefined || lstatSync(path, { throwIfNoEntry: false }) !== undefined
  );
}

function taken(path: string, cause?: unknown): UserError {
  return refusal(`Can't write ${path}: it is there already; name a new file.`, cause);
}

function refusal(message: string, cause: unknown): UserError {
  return new UserError('wrong-usage', message, [], { cause });
}

function unwritable(path: string, cause: unknown): string {
  return diskFault(path, cause) ?? `Can't write ${path}: ${whyUnwritable(path, cause)}.`;
}

/** What else keeps a file from being written, as the end of a sentence. */
export function whyUnwritable(path: string, cause: unknown): string {
  const folder = dirname(path);
  switch (systemCodeOf(cause)) {
    case 'ENOENT':
      return whyNowhere(folder);
    case 'EACCES':
    case 'EPERM':
      return `this user may not make files in ${resolve(folder)}`;
    default:
      return messageOf(cause);
  }
}

function whyNowhere(folder: string): string {
  return existsSync(folder)
    ? `what was written of it is no longer in ${folder}, as where a disk was unmounted meanwhile`
    : `there is no folder ${folder}`;
}

/** What to do about its disk; undefined where that isn't what keeps a file from being written. */
export function diskFault(path: string, cause: unknown): string | undefined {
  switch (systemCodeOf(cause)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk of ${path} is full. Free some space there.`;
    case 'EROFS':
      return `The disk of ${path} is read-only. Mount it for writing, or write elsewhere; Linux makes a disk read-only when it fails.`;
    default:
      return undefined;
  }
}

/**
 * Opens a file for reading and writing and unlinks it, so that nothing remains after the process,
 * however it ends. The caller closes it.
 * @returns its descriptor
 * @throws UserError if no file can be created
 */
export function openUnnamedFile(): number {
  const path = join(tmpdir(), `fathom-${randomUUID()}.tmp`);
  const fd = open(path);
  unlinkSync(path);
  return fd;
}

function open(path: string): number {
  try {
    return openSync(path, 'wx+', 0o600);
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(cause: unknown): UserError {
  return new UserError(
    'wrong-configuration',
    `Can't create files in the folder for temporary files, ${tmpdir()} (${messageOf(cause)}). Fix that, or set TMPDIR to another folder.`,
    [],
    { cause },
  );
}

/** Appends all bytes. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/**
 * Appends all bytes to an unnamed file.
 * @throws RetryableError that names the folder
 */
export function writeTemporary(fd: number, bytes: Uint8Array): void {
  try {
    writeFully(fd, bytes);
  } catch (error) {
    throw new RetryableError(
      `Can't write to the folder for temporary files, ${tmpdir()} (${messageOf(error)}). Free up space there, or set TMPDIR to another folder.`,
      { cause: error },
    );
  }
}

/**
 * Replaces a file's contents in one step, keeping its permissions: others see the old or the new, never a part. A link
 * to it stays one.
 * @param before what it contained when it was read
 * @throws UserError `wrong-usage` if somebody has changed it since, or it's a device
 * @throws RetryableError if it can't be written
 */
export function replaceFile(path: string, before: string, text: string): void {
  let part: string | undefined;
  try {
    const real = realpathSync(path);
    const stats = statSync(real);
    // Such as /dev/null, which would be an ordinary file from then on.
    if (!stats.isFile()) throw refusal(`Can't write ${path}: it's no file.`, undefined);
    part = `${real}.${randomUUID().slice(0, 8)}.part`;
    const file = openSync(part, 'wx', stats.mode);
    try {
      writeFully(file, Buffer.from(text));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (readFileSync(path, 'utf8') !== before) {
      throw new UserError(
        'wrong-usage',
        `${path} has just been changed by somebody else. Try again.`,
      );
    }
    renameSync(part, real);
    flushFolder(dirname(real));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new RetryableError(unwritable(path, error), { cause: error });
  } finally {
    if (part !== undefined) rmSync(part, { force: true });
  }
}

/** Writes a new file in one step. @throws UserError `wrong-usage`, RetryableError; see `NewFile` */
export function writeNewFile(path: string, text: string): void {
  const file = new NewFile(path);
  try {
    file.write(text);
    file.finish();
  } finally {
    file.close();
  }
}
