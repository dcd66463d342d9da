/** What's wrong with a file as a whole, as a sentence that its name and a colon go before. */
export class FileFault extends Error {
  override readonly name: string = 'FileFault';
}

/** A file that is no NDJSON at all. One sentence says so, instead of a refusal of each of its lines. */
export class ForeignFormat extends FileFault {
  override readonly name = 'ForeignFormat';
}

/** What a format is told by: the beginning of a file has it. */
const HEAD_BYTES = 4 * 1024;
const NDJSON = 'An import takes one JSON object a line (NDJSON), plain or gzip';

/** https://en.wikipedia.org/wiki/List_of_file_signatures */
const SIGNATURES: readonly (readonly [bytes: string, name: string])[] = [
  ['PK\x05\x06', 'an empty zip archive'],
  ['BZh', 'a bzip2 file'],
  ['\xfd7zXZ', 'an xz file'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['PAR1', 'a Parquet file'],
  ['\xff\xfe', 'UTF-16 text'],
  ['\xfe\xff', 'UTF-16 text'],
];

/**
 * Gives the bytes on, unless they are of a format that people confuse with ours. It waits for no more
 * than a line.
 * @throws ForeignFormat before the first of them
 */
export async function* onlyNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const { head, fault } = await headOf(iterator);
    if (fault === undefined || head.length > 0) refuseForeign(head);
    yield head;
    if (fault !== undefined) throw fault;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The beginning, with a whole line if it isn't long, or what stood before a fault. */
async function headOf(
  iterator: AsyncIterator<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly fault?: unknown }> {
  let head: Uint8Array = new Uint8Array();
  try {
    while (head.length < HEAD_BYTES && !/\S[^\n]*\n/.test(Buffer.from(head).toString('latin1'))) {
      const next = await iterator.next();
      if (next.done) break;
      head = Buffer.concat([head, next.value]);
    }
  } catch (fault) {
    return { head, fault };
  }
  return { head };
}

function refuseForeign(head: Uint8Array): void {
  const name = foreignName(Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1'));
  if (name !== undefined) throw new ForeignFormat(name);
}

/** @returns a sentence; undefined for what may be NDJSON, with however many faults */
function foreignName(head: string): string | undefined {
  const text = head.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (text === '') return 'this is empty: nothing was read';
  if (head.startsWith('PK\x03\x04')) {
    const isSheet = head.includes('[Content_Types].xml') || head.includes('xl/');
    return isSheet
      ? `this looks like an Excel workbook (xlsx). ${NDJSON}: export the rows and convert them`
      : `this looks like a zip archive. ${NDJSON}: unpack it first, for example with "unzip -p"`;
  }
  const known = SIGNATURES.find(([bytes]) => head.startsWith(bytes));
  if (known !== undefined) return `this looks like ${known[1]}. ${NDJSON}`;
  if (text.startsWith('[')) {
    return `this looks like a JSON array. ${NDJSON}: convert it, for example with "jq -c '.[]'"`;
  }
  if (/^\{\s*\r?\n/.test(text)) {
    return `this looks like JSON over several lines. ${NDJSON}: convert it, for example with "jq -c ."`;
  }
  if (isTable(text)) {
    return 'this looks like CSV. Add --event NAME to import its rows as events (see "fathom import --help")';
  }
  return undefined;
}

/** Whether the first lines are no JSON and have the same separators, as the rows of a table have. */
function isTable(text: string): boolean {
  const lines = text.split(/\r?\n/).slice(0, 3);
  // The last one may be cut.
  if (lines.length > 2) lines.pop();
  const rows = lines.filter((line) => line !== '');
  if (rows.some((line) => /^[{["]?\s*[{[]/.test(line))) return false;
  return [',', ';', '\t'].some((separator) => {
    const counts = rows.map((line) => line.replaceAll(/"[^"]*"/g, '').split(separator).length - 1);
    return (counts[0] ?? 0) > 0 && counts.every((each) => each === counts[0]);
  });
}
