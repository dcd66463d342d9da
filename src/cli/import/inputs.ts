import { accessSync, closeSync, constants, createReadStream, fstatSync, type Stats } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { messageOf, UserError } from '#base';
import { statIfThere } from '#base/process';
import { openUnnamedFile, writeTemporary } from '#cli/new-file';
import { FileFault } from './foreign.ts';

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
  const stats = statIfThere(path);
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

const GZIP_MAGIC = [0x1f, 0x8b] as const;
/**
 * Compressed bytes per call to zlib. We take all output (at most 1,032 times as much) before
 * passing more, so this bounds the memory.
 */
const SLICE_BYTES = 32 * 1024;
const OUTPUT_BYTES = 128 * 1024;

/**
 * Passes bytes through, or decompresses them if they start like gzip, whatever the file name. Yields
 * everything readable in a damaged gzip file, up to the slice with the fault, before it throws.
 */
export async function* decompressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const first = await atLeastTwoBytes(iterator);
    const isGzip = GZIP_MAGIC.every((byte, i) => first[i] === byte);
    const all = startingWith(first, iterator);
    yield* isGzip ? gunzipped(all) : all;
  } finally {
    await iterator.return?.();
  }
}

async function atLeastTwoBytes(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  while (bytes.length < GZIP_MAGIC.length) {
    const next = await iterator.next();
    if (next.done) break;
    bytes = bytes.length === 0 ? Uint8Array.from(next.value) : Buffer.concat([bytes, next.value]);
  }
  return bytes;
}

async function* startingWith(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflater = createInflater();
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        yield* await inflater.inflate(chunk.subarray(at, at + SLICE_BYTES));
      }
    }
    yield* await inflater.end();
  } finally {
    inflater.destroy();
  }
}

/** Drives zlib slice by slice, so that on a fault everything before it has been taken. */
function createInflater() {
  const gunzip = createGunzip({ chunkSize: OUTPUT_BYTES });
  let output: Uint8Array[] = [];
  let hasEnded = false;
  let failure: unknown;
  let settle = () => {};
  gunzip.on('data', (chunk: Uint8Array) => output.push(chunk));
  gunzip.on('end', () => {
    hasEnded = true;
    settle();
  });
  gunzip.on('error', (error) => {
    failure = error;
    settle();
  });

  /** Waits for the callback of `begin`, the end of the stream, or its error. */
  async function settled(begin: (done: () => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      settle = resolve;
      begin(resolve);
    });
    if (failure !== undefined) throw broken(failure);
  }

  function taken(): Uint8Array[] {
    const all = output;
    output = [];
    return all;
  }

  return {
    async inflate(slice: Uint8Array): Promise<Uint8Array[]> {
      const before = gunzip.bytesWritten;
      if (!hasEnded) await settled((done) => gunzip.write(slice, () => done()));
      // zlib ends before bytes that can't be another member; zeros are only padding.
      const rest = hasEnded ? slice.subarray(gunzip.bytesWritten - before) : [];
      if (rest.some((byte) => byte !== 0)) throw broken(new Error('unexpected data after its end'));
      return taken();
    },
    async end(): Promise<Uint8Array[]> {
      if (!hasEnded) await settled(() => gunzip.end());
      return taken();
    },
    destroy: () => gunzip.destroy(),
  };
}

function broken(cause: unknown): Error {
  const isTooShort = cause instanceof Error && 'code' in cause && cause.code === 'Z_BUF_ERROR';
  const what = isTooShort
    ? 'the gzip file is truncated'
    : `the gzip file is damaged: ${messageOf(cause)}`;
  return new FileFault(what, { cause });
}
