import { messageOf } from '#base';
import { decompressed } from '#cli/import/decompress';
import { PROOF_LINE_MAX, ProofFault, proofFaultOf } from '#scoring/proof';

const LINE_FEED = 0x0a;

/**
 * The lines of an evidence file, in groups per chunk. Stops at the first fault, and never holds more than a
 * line and a chunk, whatever the file unpacks to.
 * @throws ProofFault if the file is damaged or isn't text
 */
export async function* evidenceLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let carried: Uint8Array[] = [];
  let bytes = 0;
  let number = 0;
  for await (const chunk of explained(decompressed(chunks), () => number)) {
    const last = chunk.lastIndexOf(LINE_FEED);
    if (last === -1) {
      carried.push(chunk);
      bytes += chunk.length;
    } else {
      const whole = Buffer.concat([...carried, chunk.subarray(0, last)]);
      carried = [chunk.subarray(last + 1)];
      bytes = chunk.length - last - 1;
      const lines = textOf(decoder, whole, number).split('\n');
      number += lines.length;
      yield lines;
    }
    if (bytes > PROOF_LINE_MAX) {
      throw new ProofFault(`it has more than ${PROOF_LINE_MAX} bytes.`, number + 1);
    }
  }
  if (bytes > 0) throw new ProofFault('it breaks off: the file is truncated.', number + 1);
}

function textOf(decoder: TextDecoder, bytes: Uint8Array, lines: number): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw proofFaultOf(error, `After line ${lines} the file isn't UTF-8 text.`);
  }
}

/** What zlib rejects is a fault of the file. */
async function* explained(
  chunks: AsyncIterable<Uint8Array>,
  lines: () => number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    throw proofFaultOf(error, `After line ${lines()}: ${messageOf(error)}.`);
  }
}
