import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  type Stats,
  statSync,
} from 'node:fs';
import { UserError } from '#base';
import { openUnnamedFile, writeTemporary } from '#cli/new-file';

/** A source of lines. */
export interface InputFile {
  /** As given on the command line; `-` is standard input. */
  readonly name: string;
  /** Opens it and yields its bytes. */
  open(): AsyncIterable<Uint8Array>;
}

/** The files of one import. */
export interface Inputs {
  readonly files: readonly InputFile[];
  /** Total bytes, or undefined if one of them is a pipe. */
  readonly totalBytes: number | undefined;
  /**
   * The same bytes once more; needs `keepCopies`.
   * @throws UserError if a file has changed since
   */
  again(): readonly InputFile[];
  close(): void;
}

export const STANDARD_INPUT = '-';
const READ_BYTES = 64 * 1024;

/**
 * Finds all files before reading any, so that a misspelt name stops the import early.
 * @param keepCopies whether to copy pipes to a temporary file while reading
 * @throws UserError `wrong-usage` for a file that can't be read
 */
export function findInputs(paths: readonly string[], keepCopies: boolean): Inputs {
  if (paths.filter((path) => path === STANDARD_INPUT).length > 1) {
    throw new UserError('wrong-usage', 'Standard input ("-") can be read only once.');
  }
  const found = paths.map((path) => (isPipe(path) ? findPipe(path, keepCopies) : findFile(path)));
  const sizes = found.map((each) => each.bytes);
  return {
    files: found.map((each) => each.file),
    totalBytes: sizes.includes(undefined)
      ? undefined
      : sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0),
    again: () => found.map((each) => each.again()),
    close() {
      for (const each of found) each.close();
    },
  };
}

interface FoundInput {
  readonly file: InputFile;
  readonly bytes: number | undefined;
  again(): InputFile;
  close(): void;
}

function isPipe(path: string): boolean {
  return path === STANDARD_INPUT || !stat(path).isFile();
}

function stat(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UserError('wrong-usage', `File not found: ${path}.`);
  if (stats.isDirectory()) {
    throw new UserError('wrong-usage', `${path} is a folder. Name the files in it.`);
  }
  if (!isReadable(path)) {
    throw new UserError('wrong-usage', `This user can't read ${path}.`);
  }
  return stats;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function findFile(name: string): FoundInput {
  const before = stat(name);
  const file = { name, open: () => createReadStream(name, { highWaterMark: READ_BYTES }) };
  return {
    file,
    bytes: before.size,
    again() {
      const after = stat(name);
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
        throw new UserError('wrong-usage', `${name} changed while it was being checked.`);
      }
      return file;
    },
    close: () => undefined,
  };
}

/** Standard input, a named pipe or a shell's `<(…)`, which can be read only once. */
function findPipe(name: string, keepCopy: boolean): FoundInput {
  const copy = keepCopy ? openUnnamedFile() : undefined;
  const open = () => (name === STANDARD_INPUT ? process.stdin : createReadStream(name));
  return {
    file: { name, open: copy === undefined ? open : () => copied(open(), copy) },
    bytes: undefined,
    again: () => ({ name, open: () => readFromStart(copy) }),
    close() {
      if (copy !== undefined) closeSync(copy);
    },
  };
}

async function* copied(
  chunks: AsyncIterable<Uint8Array>,
  copy: number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    writeTemporary(copy, chunk);
    yield chunk;
  }
}

/** Copies what can be read only once into an unnamed file. @returns its descriptor, for the caller to close */
export async function copyPipe(files: readonly InputFile[]): Promise<number> {
  const copy = openUnnamedFile();
  for (const file of files) {
    for await (const chunk of file.open()) writeTemporary(copy, chunk);
  }
  return copy;
}

/** Such a copy as an input. */
export function inputsOfCopy(name: string, copy: number): Inputs {
  const files = [{ name, open: () => readFromStart(copy) }];
  return { files, totalBytes: fstatSync(copy).size, again: () => files, close: () => undefined };
}

/** The bytes of a copy. */
export function readFromStart(fd: number | undefined): AsyncIterable<Uint8Array> {
  if (fd === undefined) throw new Error('a pipe was opened without a copy');
  return createReadStream('', { fd, start: 0, autoClose: false, highWaterMark: READ_BYTES });
}
