import { areEqual, concatBytes } from './bytes.ts';
import { KEY_SIGNATURE_BYTES } from './ethereum-signature.ts';

/** What ERC-6492 puts at the end of a signature of a contract that is not deployed yet. */
export const WRAPPER_END = Buffer.from('6492'.repeat(16), 'hex');

const WORD = 32;
/** Factory, and where its call and the signature begin. */
const HEAD = 3 * WORD;

/**
 * The ordinary account's signature in an ERC-6492 wrapper, which wallet libraries put around whatever
 * a smart account's owner signed, also where the account asked is the owner itself.
 * https://eips.ethereum.org/EIPS/eip-6492
 * @returns undefined unless the wrapper is exactly what the ABI makes of its parts: a byte more, an
 *   offset or a padding of another kind is no wrapper
 */
export function wrappedKeySignature(signature: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(signature);
  if (!bytes.subarray(-WORD).equals(WRAPPER_END)) return undefined;
  const signatureAt = bytes.length - WORD - padded(KEY_SIGNATURE_BYTES);
  const callBytes = signatureAt - HEAD - 2 * WORD;
  if (callBytes < 0) return undefined;
  // Its own length says how much of the padded room the call takes.
  const callLength = bytes.readUInt32BE(HEAD + WORD - 4);
  if (padded(callLength) !== callBytes) return undefined;
  const factory = bytes.subarray(WORD - 20, WORD);
  const call = bytes.subarray(HEAD + WORD, HEAD + WORD + callLength);
  const inner = bytes.subarray(signatureAt, signatureAt + KEY_SIGNATURE_BYTES);
  const exact = concatBytes(
    new Uint8Array(WORD - 20),
    factory,
    word(HEAD),
    word(HEAD + WORD + callBytes),
    word(callLength),
    call,
    new Uint8Array(callBytes - callLength),
    word(KEY_SIGNATURE_BYTES),
    inner,
    new Uint8Array(padded(KEY_SIGNATURE_BYTES) - KEY_SIGNATURE_BYTES),
    WRAPPER_END,
  );
  return areEqual(exact, bytes) ? inner : undefined;
}

function padded(length: number): number {
  return Math.ceil(length / WORD) * WORD;
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(WORD);
  bytes.writeUInt32BE(value, WORD - 4);
  return bytes;
}
