import type { InputLine } from '#import';
import type { SheetPlan } from '#import/sheet';
import { decompressed } from './decompress.ts';
import { onlyNdjson } from './foreign.ts';
import type { InputFile } from './inputs.ts';
import { splitLines } from './split-lines.ts';

export interface ReadHooks {
  /** Called with the number of bytes read, before decompression. */
  onBytes(count: number): void;
  /** Called if a file breaks off. Its lines up to the fault were yielded; the next file follows. */
  onBroken(file: string, error: unknown): void;
  /** Stops reading, even while waiting for a pipe. */
  readonly signal?: AbortSignal;
}

/**
 * The lines of all files in order, plain or gzip.
 * @param sheet how the files' rows become lines, if they're spreadsheets
 */
export async function* readLines(
  files: readonly InputFile[],
  hooks: ReadHooks,
  sheet?: SheetPlan,
): AsyncGenerator<readonly InputLine[]> {
  for (const file of files) {
    try {
      const bytes = watched(file.open(), hooks);
      if (sheet === undefined) yield* splitLines(file.name, onlyNdjson(decompressed(bytes)));
      else {
        // Loaded only for a sheet, with its parser.
        const { sheetLines } = await import('./sheet/sheet-lines.ts');
        yield* sheetLines(file.name, bytes, sheet);
      }
    } catch (error) {
      if (hooks.signal?.aborted) return;
      hooks.onBroken(file.name, error);
    }
  }
}

/** Counts bytes, and throws on abort even if no more bytes arrive. */
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
    // Closes the file. Don't await it: a silent pipe never settles.
    void iterator.return?.();
  }
}
