const UTF_8 = 'utf-8';
/** Bytes that tell an encoding without a byte order mark. */
const HEAD_BYTES = 1024;

/**
 * Decodes text of a spreadsheet: UTF-8, or UTF-16 as "Unicode text" is, with a byte order mark or without. What isn't
 * of the encoding becomes U+FFFD.
 */
export async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head = new Uint8Array();
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    if (decoder !== undefined) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    head = Uint8Array.from(Buffer.concat([head, chunk]));
    if (head.length < HEAD_BYTES) continue;
    decoder = new TextDecoder(encodingOf(head));
    yield decoder.decode(head, { stream: true });
  }
  if (decoder === undefined) yield new TextDecoder(encodingOf(head)).decode(head);
  else yield decoder.decode();
}

function encodingOf(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const start = head.subarray(0, HEAD_BYTES);
  // In UTF-16, every other byte of ASCII is zero.
  const zeros = [0, 1].map(
    (odd) => start.filter((byte, at) => at % 2 === odd && byte === 0).length,
  );
  const [even = 0, odd = 0] = zeros;
  if (odd > start.length / 4 && even === 0) return 'utf-16le';
  return even > start.length / 4 && odd === 0 ? 'utf-16be' : UTF_8;
}
