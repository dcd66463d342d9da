import { areEqual, concatBytes } from '#linking/proofs/bytes';
import { KEY_SIGNATURE_BYTES } from './ethereum-signature.ts';

/** The suffix that ERC-6492 adds to the signature of a contract that isn't deployed yet. */
export const WRAPPER_END = Buffer.from('6492'.repeat(16), 'hex');

const WORD = 32;
/** Factory, and the offsets of its call and the signature. */
const HEAD = 3 * WORD;

/**
 * An ordinary account's signature in an ERC-6492 wrapper. Wallet libraries wrap whatever a smart
 * account's owner signed, even if the account is the owner itself.
 * https://eips.ethereum.org/EIPS/eip-6492
 * @returns undefined unless the wrapper is exactly the ABI encoding of its parts, without extra
 * bytes or unusual offsets and padding
 */
export function wrappedKeySignature(signature: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(signature);
  if (!bytes.subarray(-WORD).equals(WRAPPER_END)) return undefined;
  const signatureAt = bytes.length - WORD - padded(KEY_SIGNATURE_BYTES);
  const callBytes = signatureAt - HEAD - 2 * WORD;
  if (callBytes < 0) return undefined;
  // Its length field says how much of the padded space the call occupies.
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
