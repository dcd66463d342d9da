import { createGunzip } from 'node:zlib';
import { messageOf } from '#base';
import { FileFault } from './foreign.ts';

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
