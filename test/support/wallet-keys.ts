import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base32nopad, base58 } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import type { Wallet } from '#wallet/wallet';

/** A wallet with a real key, which signs a text as wallets of its chain do. */
export interface KeyedWallet {
  readonly wallet: Wallet;
  /** As people paste it: hex, base58 or base64. */
  sign(text: string): Promise<string>;
}

/** The same wallet for the same seed. */
export function ethereumWallet(seed: string): KeyedWallet {
  const account = privateKeyToAccount(`0x${hash('sha256', `ethereum ${seed}`)}`);
  return {
    wallet: { chain: 'ethereum', address: account.address },
    sign: (message) => account.signMessage({ message }),
  };
}

export function solanaWallet(seed: string): KeyedWallet {
  const secret = hash('sha256', `solana ${seed}`, 'buffer');
  const key = ed25519.getPublicKey(secret);
  return {
    wallet: { chain: 'solana', address: base58.encode(key) },
    sign: async (text) => base58.encode(ed25519.sign(new TextEncoder().encode(text), secret)),
  };
}

export function algorandWallet(seed: string): KeyedWallet {
  const secret = hash('sha256', `algorand ${seed}`, 'buffer');
  const key = ed25519.getPublicKey(secret);
  const checksum = hash('sha512-256', key, 'buffer').subarray(-4);
  return {
    wallet: {
      chain: 'algorand',
      address: base32nopad.encode(Uint8Array.from([...key, ...checksum])),
    },
    sign: async (text) =>
      Buffer.from(ed25519.sign(new TextEncoder().encode(`MX${text}`), secret)).toString('base64'),
  };
}

export const KEYED_WALLETS = [
  ['Ethereum', ethereumWallet],
  ['Solana', solanaWallet],
  ['Algorand', algorandWallet],
] as const;
