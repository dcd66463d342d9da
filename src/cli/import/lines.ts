import { isUtf8 } from 'node:buffer';
import { type InputLine, LINE_MAX_BYTES, type LineRefusal, refusal } from '#import';
import type { SheetPlan } from '#import/sheet';
import { onlyNdjson } from './foreign.ts';
import { decompressed, type InputFile } from './inputs.ts';

interface ReadHooks {
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
        const { sheetLines } = await import('./sheet/read-rows.ts');
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

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const BYTE_ORDER_MARK = 0xfeff;
/** A UTF-16 unit becomes at most this many bytes of UTF-8. */
const BYTES_PER_UNIT = 3;
/** Bytes we keep of a line that is refused here; the report shows less. */
const EXCERPT_BYTES = 1_024;

/**
 * Splits bytes into lines, one group per chunk. Blank lines are counted but omitted. A line that is
 * too long or isn't UTF-8 carries its refusal; we never hold more of it than the limit plus a chunk.
 */
export async function* splitLines(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number = LINE_MAX_BYTES,
): AsyncGenerator<readonly InputLine[]> {
  let number = 0;
  let carried: Uint8Array[] = [];
  let carriedBytes = 0;
  /** Start of an oversized line, while we skip to its end. */
  let skipped: Uint8Array | undefined;

  function carry(bytes: Uint8Array): void {
    carried.push(bytes);
    carriedBytes += bytes.length;
    // One more for a carriage return, which doesn't count.
    if (carriedBytes <= maxBytes + 1) return;
    skipped = Uint8Array.from(Buffer.concat(carried).subarray(0, EXCERPT_BYTES));
    carried = [];
    carriedBytes = 0;
  }

  function take(bytes: Uint8Array): Buffer {
    const whole = Buffer.concat([...carried, bytes]);
    carried = [];
    carriedBytes = 0;
    return whole;
  }

  function endSkipped(lines: InputLine[]): void {
    if (skipped === undefined) return;
    number += 1;
    lines.push({ file, number, text: excerpt(skipped), refusal: tooLong(maxBytes) });
    skipped = undefined;
  }

  function addText(lines: InputLine[], line: string): void {
    number += 1;
    let text = line.charCodeAt(line.length - 1) === CARRIAGE_RETURN ? line.slice(0, -1) : line;
    if (number === 1 && text.charCodeAt(0) === BYTE_ORDER_MARK) text = text.slice(1);
    if (text === '' || (text.charCodeAt(0) <= SPACE && text.trim() === '')) return;
    if (text.length * BYTES_PER_UNIT > maxBytes && Buffer.byteLength(text) > maxBytes) {
      const start = text.slice(0, EXCERPT_BYTES);
      lines.push({ file, number, text: start, refusal: tooLong(maxBytes) });
    } else lines.push({ file, number, text });
  }

  function addAll(lines: InputLine[], bytes: Buffer): void {
    if (!isUtf8(bytes)) {
      addEach(lines, bytes);
      return;
    }
    const text = bytes.toString('utf8');
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      addText(lines, text.slice(start, end));
      start = end + 1;
    }
    addText(lines, text.slice(start));
  }

  /** Slow path, for the few chunks with a line that isn't UTF-8. */
  function addEach(lines: InputLine[], bytes: Buffer): void {
    for (let start = 0; start <= bytes.length; ) {
      const found = bytes.indexOf(LINE_FEED, start);
      const end = found === -1 ? bytes.length : found;
      const line = bytes.subarray(start, end);
      if (isUtf8(line)) addText(lines, line.toString('utf8'));
      else {
        number += 1;
        lines.push({ file, number, text: excerpt(line), refusal: NOT_UTF_8 });
      }
      start = end + 1;
    }
  }

  for await (const chunk of chunks) {
    const lines: InputLine[] = [];
    let start = 0;
    if (skipped !== undefined) {
      const end = chunk.indexOf(LINE_FEED);
      if (end === -1) continue;
      endSkipped(lines);
      start = end + 1;
    }
    const last = chunk.lastIndexOf(LINE_FEED);
    if (last >= start) {
      addAll(lines, take(chunk.subarray(start, last)));
      start = last + 1;
    }
    if (start < chunk.length) carry(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  const lines: InputLine[] = [];
  endSkipped(lines);
  if (carriedBytes > 0) addAll(lines, take(new Uint8Array()));
  if (lines.length > 0) yield lines;
}

const NOT_UTF_8: LineRefusal = refusal(
  'not-utf-8',
  'The line is not valid UTF-8. Save the file as UTF-8.',
);

function tooLong(maxBytes: number): LineRefusal {
  return refusal('line-too-long', `The line has more than ${maxBytes} bytes.`);
}

function excerpt(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, EXCERPT_BYTES)).toString('utf8');
}
