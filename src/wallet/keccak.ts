import { getHashes, hash } from 'node:crypto';
import { createRequire } from 'node:module';

const NAME = 'keccak-256';
/** Node 22's OpenSSL doesn't know it, and Node's own is several times faster. */
const isBuiltIn = getHashes().includes(NAME);
type Sha3 = typeof import('@noble/hashes/sha3.js');
// Loaded only there, and without an await: threads that import this may be terminated while they start, and where an
// await at a top level ends just then, V8 ends the whole process.
const require = createRequire(import.meta.url);
const own = isBuiltIn ? undefined : (require('@noble/hashes/sha3.js') as Sha3).keccak_256;

/** Ethereum's hash, which isn't the later SHA-3. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return own === undefined ? hash(NAME, bytes, 'buffer') : own(bytes);
}
