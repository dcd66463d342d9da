import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { numberToBytesLE } from '@noble/curves/utils.js';
import type { Ed25519Key } from './signing.ts';

/** Ed25519 signatures that some verifiers accept and none should. */

const { Point } = ed25519;
const L = Point.Fn.ORDER;
const P = Point.Fp.ORDER;

/**
 * All points of small order in all their encodings; the all-zero key is one of them.
 * https://eprint.iacr.org/2020/1244 (table 1)
 */
export const SMALL_ORDER_KEYS: readonly string[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];

/** The same signature with the group's order added to S, which doesn't affect the equation. */
export function withLargerS(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`);
  return Buffer.concat([signature.subarray(0, 32), numberToBytesLE(s + L, 32)]);
}

/** By the key's owner, with an R that encodes the neutral point non-canonically. */
export function withStrangeR(key: Ed25519Key, message: Uint8Array): Uint8Array {
  const r = numberToBytesLE(P + 1n, 32);
  return signedWith(r, 0n, key.publicKey, key, message);
}

/** A key with a component of small order, and a signature made with the secret of the rest. */
export function withTorsion(key: Ed25519Key) {
  const torsion = Point.fromHex(SMALL_ORDER_KEYS[10] ?? '');
  const publicKey = Point.fromBytes(key.publicKey).add(torsion).toBytes();
  const sign = (message: Uint8Array) => {
    const r = 1234567n;
    return signedWith(Point.BASE.multiply(r).toBytes(), r, publicKey, key, message);
  };
  return { publicKey, sign };
}

function signedWith(
  bytesOfR: Uint8Array,
  r: bigint,
  publicKey: Uint8Array,
  key: Ed25519Key,
  message: Uint8Array,
): Uint8Array {
  const hashed = hash('sha512', Buffer.concat([bytesOfR, publicKey, message]), 'buffer');
  const k = BigInt(`0x${hashed.reverse().toString('hex')}`);
  const { scalar } = ed25519.utils.getExtendedPublicKey(key.secret);
  return Buffer.concat([bytesOfR, numberToBytesLE((r + k * scalar) % L, 32)]);
}

/** Whether careless verifiers would accept it; otherwise, rejecting it would show nothing. */
export const isTakenCarelessly = (
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
) => ed25519.verify(signature, message, publicKey, { zip215: true });
