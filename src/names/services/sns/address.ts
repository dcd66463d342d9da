import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

const HIGHEST_BUMP = 255;

/** Whether an address can be a public key: a point on the curve. Program addresses never are. */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    // As lenient as Solana's own decoding.
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/**
 * The address that a program derives from seeds: the first hash that isn't on the curve.
 * https://solana.com/docs/core/pda
 */
export function programAddress(program: string, ...seeds: readonly Uint8Array[]): string {
  const rest = [base58.decode(program), Buffer.from('ProgramDerivedAddress')];
  for (let bump = HIGHEST_BUMP; bump >= 0; bump--) {
    const hashed = sha256(Buffer.concat([...seeds, Uint8Array.of(bump), ...rest]));
    if (!isOnCurve(hashed)) return base58.encode(hashed);
  }
  throw new Error('no bump leads off the curve');
}

export function sha256(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
