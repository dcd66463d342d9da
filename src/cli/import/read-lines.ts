import type { InputLine } from '#core/import/importer';
import { decompressed } from './decompress.ts';
import { onlyNdjson } from './foreign.ts';
import type { InputFile } from './inputs.ts';
import { splitLines } from './split-lines.ts';

export interface ReadHooks {
  /** Told of bytes as they are read, before they are decompressed. */
  onBytes(count: number): void;
  /** A file broke off; what stood before the fault was given, and the next file follows. */
  onBroken(file: string, error: unknown): void;
  /** Ends the reading, also while it waits for a pipe. */
  readonly signal?: AbortSignal;
}

/** The lines of all files, one after the other, plain or gzip. */
export async function* readLines(
  files: readonly InputFile[],
  hooks: ReadHooks,
): AsyncGenerator<readonly InputLine[]> {
  for (const file of files) {
    try {
      yield* splitLines(file.name, onlyNdjson(decompressed(watched(file.open(), hooks))));
    } catch (error) {
      if (hooks.signal?.aborted) return;
      hooks.onBroken(file.name, error);
    }
  }
}

/** Counts the bytes, and throws as soon as the signal comes even if no further byte ever does. */
async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  { onBytes, signal }: ReadHooks,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => undefined);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    while (true) {
      signal?.throwIfAborted();
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      onBytes(next.value.length);
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    // Closes the file. Not waited for: a pipe that is silent does not answer.
    void iterator.return?.();
  }
}
