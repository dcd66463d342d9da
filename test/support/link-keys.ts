import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base32nopad, base58 } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';

/** A wallet's key outside of the browser, where an extension would keep it. */
export interface WalletKey {
  readonly address: string;
  /** Signs what a wallet passes on: text by EIP-191, or raw bytes. Returns base64, or hex for Ethereum. */
  sign(bytes: Uint8Array): Promise<string>;
}

export function ethereumKey(seed: number): WalletKey {
  const account = privateKeyToAccount(`0x${String(seed).padStart(64, '0')}`);
  return {
    address: account.address,
    sign: (bytes) => account.signMessage({ message: { raw: bytes } }),
  };
}

export function solanaKey(seed: number): WalletKey {
  return edwardsKey(seed, (publicKey) => base58.encode(publicKey));
}

export function algorandKey(seed: number): WalletKey {
  return edwardsKey(seed, algorandAddress);
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function algorandAddress(publicKey: Uint8Array): string {
  const checksum = createHash('sha512-256').update(publicKey).digest().subarray(-4);
  return base32nopad.encode(Buffer.concat([publicKey, checksum]));
}

function edwardsKey(seed: number, addressOf: (publicKey: Uint8Array) => string): WalletKey {
  const secret = new Uint8Array(32).fill(seed);
  return {
    address: addressOf(ed25519.getPublicKey(secret)),
    sign: async (bytes) => Buffer.from(ed25519.sign(bytes, secret)).toString('base64'),
  };
}
