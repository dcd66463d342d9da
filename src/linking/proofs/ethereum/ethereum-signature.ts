import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes } from '#linking/proofs/bytes';
import { parityOf } from '#linking/proving/parity';
import { keccak256 } from '#wallet';

/** Length of an ordinary account's signature: r, s and v. */
export const KEY_SIGNATURE_BYTES = 65;
/** The same with the parity in the highest bit of s. https://eips.ethereum.org/EIPS/eip-2098 */
const COMPACT_BYTES = 64;
const S_AT = 32;
/** As most wallets encode the parity. */
const V = [27, 28];

/**
 * The hash that `personal_sign` signs for a text.
 * https://eips.ethereum.org/EIPS/eip-191#version-0x45-e
 */
export function personalHash(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return keccak256(concatBytes(`\x19Ethereum Signed Message:\n${bytes.length}`, bytes));
}

/** Whether it is as long as an ordinary account's signature; a contract may accept it, too. */
export function isOfKeyLength(signature: Uint8Array): boolean {
  return signature.length === KEY_SIGNATURE_BYTES || signature.length === COMPACT_BYTES;
}

/**
 * The address whose key made this signature: r, s and v, or the compact form of that.
 * @returns in lower case; undefined if no key can have made it: r or s out of range, another v, or
 * the higher of the two possible values of s, which anybody can compute from the lower one (EIP-2)
 */
export function signerOf(hashed: Uint8Array, signature: Uint8Array): string | undefined {
  const [scalars, parity] = takenApart(signature);
  if (scalars === undefined || parity === undefined) return undefined;
  try {
    const parts = secp256k1.Signature.fromBytes(scalars, 'compact');
    if (parts.hasHighS()) return undefined;
    const key = parts.addRecoveryBit(parity).recoverPublicKey(hashed).toBytes(false);
    // Skip the byte that says "uncompressed"; the address is the last 20 bytes of the hash.
    return `0x${Buffer.from(keccak256(key.subarray(1)).subarray(-20)).toString('hex')}`;
  } catch {
    return undefined;
  }
}

/**
 * Whether its last byte, the parity, was lost in copying, which makes it look like the compact form. Nobody can tell if
 * another account, or of another text, signed it.
 */
export function isCut(
  hashed: Uint8Array,
  signature: Uint8Array,
  address: string,
): 'yes' | 'maybe' | 'no' {
  // The highest bit of s is set in the compact form alone.
  if (signature.length !== COMPACT_BYTES || (signature[S_AT] ?? 0) >> 7 === 1) return 'no';
  const isOwn = V.some((v) => signerOf(hashed, concatBytes(signature, v)) === address);
  return isOwn ? 'yes' : 'maybe';
}

/** r and s in 64 bytes, and the parity; undefined if invalid. */
function takenApart(signature: Uint8Array): readonly [Uint8Array?, (0 | 1 | undefined)?] {
  if (signature.length === COMPACT_BYTES) {
    const scalars = Uint8Array.from(signature);
    const parity = (scalars[S_AT] ?? 0) >> 7 === 1 ? 1 : 0;
    scalars[S_AT] = (scalars[S_AT] ?? 0) & 0x7f;
    return [scalars, parity];
  }
  if (signature.length !== KEY_SIGNATURE_BYTES) return [];
  return [signature.subarray(0, COMPACT_BYTES), parityOf(signature[COMPACT_BYTES] ?? -1)];
}
