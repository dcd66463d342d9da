import { hash as digest } from 'node:crypto';
import { base58Key, hash32, hexOf } from './hash.ts';

/** Wallet number i of the generated data: its chain and address, computable from i alone. */

export type ChainName = 'ethereum' | 'solana' | 'algorand';

const CHAIN_KEY = 101;
const ETHEREUM_KEY = 211;
const SOLANA_KEY = 307;
const ALGORAND_KEY = 401;

/** 60 % Ethereum, 30 % Solana, 10 % Algorand. */
export function chainOf(wallet: number): ChainName {
  const tenth = hash32(CHAIN_KEY, wallet) % 10;
  if (tenth < 6) return 'ethereum';
  return tenth < 9 ? 'solana' : 'algorand';
}

/** The address as a chain's own tools export it; Ethereum's in lower case. */
export function addressOf(wallet: number): string {
  switch (chainOf(wallet)) {
    case 'ethereum':
      return `0x${hexOf(ETHEREUM_KEY, wallet, 5)}`;
    case 'solana':
      return base58Key(SOLANA_KEY, wallet);
    case 'algorand':
      return algorandAddress(wallet);
  }
}

/** The form that Fathom returns: EIP-55 for Ethereum, unchanged for the others. */
export function canonicalOf(wallet: number): string {
  const address = addressOf(wallet);
  return chainOf(wallet) === 'ethereum' ? eip55(address) : address;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function algorandAddress(wallet: number): string {
  const bytes = Buffer.alloc(36);
  for (let word = 0; word < 8; word += 1) {
    bytes.writeUInt32LE(hash32(ALGORAND_KEY + word, wallet), word * 4);
  }
  digest('sha512-256', bytes.subarray(0, 32), 'buffer').copy(bytes, 32, 28);
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >>> bits) & 31];
    }
  }
  return text + BASE32[(held << (5 - bits)) & 31];
}

function eip55(address: string): string {
  const digits = address.slice(2);
  const check = digest('keccak-256', digits, 'hex');
  let text = '0x';
  for (let i = 0; i < digits.length; i += 1) {
    text += check[i]! >= '8' ? digits[i]!.toUpperCase() : digits[i];
  }
  return text;
}
