import { ed25519 } from '@noble/curves/ed25519.js';

/** Verifies a 64-byte signature by the key over these bytes. */
export type Verifier = (signature: Uint8Array, signed: Uint8Array) => boolean;

/**
 * Whether these 32 bytes can have a private key: a point of the curve, canonically encoded and of
 * prime order. For others, signatures can be forged: libraries that don't check accept 64 zero
 * bytes for the all-zero key.
 */
export function isPossibleKey(publicKey: Uint8Array): boolean {
  try {
    const point = ed25519.Point.fromBytes(publicKey, false);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    return false;
  }
}

/**
 * Whether 64 bytes are a key as Solana's and Algorand's tools store it: the secret, then the public
 * half.
 */
export function isSecretKey(bytes: Uint8Array): boolean {
  if (bytes.length !== 64) return false;
  const own = ed25519.getPublicKey(bytes.subarray(0, 32));
  return own.every((byte, i) => byte === bytes[32 + i]);
}

/**
 * Whether 64 bytes may be a signature by any key: an encoded point, then a number below the group order. Of bad
 * copies, one in thirty may.
 */
export function mayBeSignature(bytes: Uint8Array): boolean {
  const { Point } = ed25519;
  try {
    Point.fromBytes(bytes.subarray(0, 32), false);
    Point.Fn.fromBytes(bytes.subarray(32));
    return true;
  } catch {
    return false;
  }
}

/**
 * As strict as RFC 8032: S below the group order, R canonically encoded.
 * https://www.rfc-editor.org/rfc/rfc8032#section-5.1.7
 */
export function verifierOf(publicKey: Uint8Array): Verifier {
  if (!isPossibleKey(publicKey)) return () => false;
  return (signature, signed) => ed25519.verify(signature, signed, publicKey, { zip215: false });
}
