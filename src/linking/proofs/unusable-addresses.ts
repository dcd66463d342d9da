import { base58 } from '@scure/base';
import { UserError } from '#base';
import { isPossibleKey } from './ed25519.ts';

/** Covers the zero address, precompiles, 0x…dEaD and the like. */
const LAST_RESERVED = 0xffffn;
/**
 * `dead` and `deadbeef` surrounded by zeros only, and addresses of one repeated digit: nobody can have found a
 * key.
 */
const BURNT = /^0x(?:0*(?:dead(?:beef)?)+0*|([0-9a-f])\1{39})$/;
/** In lower case. */
const SYSTEM_OF_ETHEREUM = new Set([
  // The caller of system contracts, and the four contracts: EIP-4788, 2935, 7002, 7251.
  '0xfffffffffffffffffffffffffffffffffffffffe',
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  '0x0000f90827f1c53a10cb7a02335b175320002935',
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  // The deposit contract.
  '0x00000000219ab540356cbb839cbe05303d7705fa',
  // A well-known place to burn tokens.
  '0xdead000000000000000042069420694206942069',
]);

/** Solana's own accounts have vanity names padded with ones; nobody can find keys for those. */
const FILLED_UP = /1{16}/;
/** Programs and mints whose addresses are valid keys, though nobody uses them. */
const SYSTEM_OF_SOLANA = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9',
]);

const SYSTEM_OF_ALGORAND = new Set([
  // The zero address, mainnet's fee sink and its pool of rewards.
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ',
  'Y76M3MSY6DKBRHBL7C3NNDXGS5IIMQVQVUAB6MP4XEMMGVF2QWNPL226CA',
  '737777777777777777777777777777777777777777777777777UFEJ2CI',
]);

/** @throws UserError `wallet-unusable` */
export function requireUsableEthereum(address: string): void {
  const lower = address.toLowerCase();
  if (BigInt(lower) <= LAST_RESERVED || BURNT.test(lower) || SYSTEM_OF_ETHEREUM.has(lower)) {
    throw unusable(address);
  }
}

/** By chance, one key in 10^9 has no capital letter: 24 of the 58 characters are capitals. */
const LOWER_CASE = /^(?=.*[a-z])[1-9a-z]{40,}$/;

/**
 * Also rejects what isn't a public key: program-derived addresses.
 * @throws UserError `wallet-unusable`, `wallet-of-program`, `wallet-lower-case`
 */
export function requireUsableSolana(address: string): void {
  if (FILLED_UP.test(address) || SYSTEM_OF_SOLANA.has(address)) throw unusable(address);
  if (LOWER_CASE.test(address)) {
    throw new UserError(
      'wallet-lower-case',
      `${address} has no capital letters, so it was changed on the way: Solana addresses are case-sensitive. Copy it from your wallet again.`,
    );
  }
  if (isPossibleKey(base58.decode(address))) return;
  throw new UserError(
    'wallet-of-program',
    `Nobody can sign for ${address}: it belongs to a program or is a token account. Link the wallet that owns it instead.`,
  );
}

/**
 * Accepts an address that isn't a public key: its account may have been rekeyed to one.
 * @throws UserError `wallet-unusable`
 */
export function requireUsableAlgorand(address: string): void {
  if (SYSTEM_OF_ALGORAND.has(address)) throw unusable(address);
}

function unusable(address: string): UserError {
  return new UserError(
    'wallet-unusable',
    `${address} belongs to the network or is used to burn tokens, so nobody can prove they own it. Link your own wallet.`,
  );
}
