import { getHashes, hash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';

const NAME = 'keccak-256';
/** Node 22's OpenSSL doesn't know it, and Node's own is several times faster. */
const isBuiltIn = getHashes().includes(NAME);

/** Ethereum's hash, which isn't the later SHA-3. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return isBuiltIn ? hash(NAME, bytes, 'buffer') : keccak_256(bytes);
}
