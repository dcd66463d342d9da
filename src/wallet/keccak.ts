import { getHashes, hash } from 'node:crypto';

const NAME = 'keccak-256';
/** Node 22's OpenSSL doesn't know it, and Node's own is several times faster. */
const isBuiltIn = getHashes().includes(NAME);
// Loaded only there.
const own = isBuiltIn ? undefined : (await import('@noble/hashes/sha3.js')).keccak_256;

/** Ethereum's hash, which isn't the later SHA-3. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return own === undefined ? hash(NAME, bytes, 'buffer') : own(bytes);
}
