import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { messageOf, RetryableError, UserError } from '#base';
import { writeFully } from './import/temp-file.ts';

/**
 * A new file for a result. It is written beside its place and moved there once it is whole, so that
 * nothing partial ever has its name, however the process ends.
 */
export class NewFile {
  readonly #path: string;
  readonly #part: string;
  readonly #fd: number;
  #isOpen = true;
  readonly #onExit = () => this.close();

  /** @throws UserError `wrong-usage` if there is such a file, or none can be created there */
  constructor(path: string) {
    this.#path = path;
    this.#part = `${path}.${randomUUID().slice(0, 8)}.part`;
    if (isThere(path)) throw taken(path);
    this.#fd = create(this.#part, path);
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
    this.close();
  }

  /** Removes what isn't finished. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off('exit', this.#onExit);
    closeSync(this.#fd);
    rmSync(this.#part, { force: true });
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw new RetryableError(unwritable(this.#path, error), { cause: error });
    }
  }
}

function create(part: string, path: string): number {
  try {
    return openSync(part, 'wx');
  } catch (cause) {
    throw refusal(unwritable(path, cause), cause);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function taken(path: string, cause?: unknown): UserError {
  return refusal(`Can't write ${path}: it is there already; name a new file.`, cause);
}

function refusal(message: string, cause: unknown): UserError {
  return new UserError('wrong-usage', message, [], { cause });
}

function unwritable(path: string, cause: unknown): string {
  return `Can't write ${path}: ${messageOf(cause)}.`;
}
