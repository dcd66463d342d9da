import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base32nopad, base58 } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import { RetryableError, UserError, type UserErrorCode } from '#base/errors';
import { type ChallengeParts, challengeText } from '#linking/challenge/challenger';
import { createProvers, type ProverOptions } from '#linking/proofs/index';
import type { Challenge, WalletProver } from '#linking/proving/proof';
import type { Chain } from '#wallet/wallet';

/** Wallets with real keys, and the texts they sign. */

/** A prover that waits as long as a busy machine takes, by default. */
export function proverOf(chain: Chain, options: ProverOptions = {}): WalletProver {
  const provers = createProvers({ timeoutMs: 60_000, ...options });
  const prover = provers.find((each) => each.chain === chain);
  if (prover === undefined) throw new Error(`no prover of ${chain}`);
  return prover;
}

export function challengeOf(
  prover: WalletProver,
  address: string,
  changes: Partial<ChallengeParts> = {},
): Challenge {
  const text = challengeText({
    domain: 'fathom.example:8443',
    uri: 'https://fathom.example:8443/link/abc',
    accountName: prover.accountName,
    address,
    chainId: prover.chainId,
    statement: 'Link this wallet to the Discord account 1234. This costs nothing.',
    nonce: '0123456789abcdef0123456789abcdef',
    issuedAt: 1_790_000_000,
    expiresAt: 1_790_000_300,
    requestId: 'discord:1234',
    ...changes,
  });
  return { wallet: { chain: prover.chain, address }, text };
}

const secretOf = (name: string) => hash('sha256', `a key of the tests: ${name}`, 'buffer');

export const ethereumKey = (name: string) =>
  privateKeyToAccount(`0x${secretOf(name).toString('hex')}`);

export interface Ed25519Key {
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array | string): Uint8Array;
}

export function ed25519Key(name: string): Ed25519Key {
  const secret = secretOf(name);
  return {
    secret,
    publicKey: ed25519.getPublicKey(secret),
    sign: (message) => ed25519.sign(Buffer.from(message as string), secret),
  };
}

export const solanaAddress = (publicKey: Uint8Array) => base58.encode(publicKey);

export function algorandAddress(publicKey: Uint8Array): string {
  const checksum = hash('sha512-256', publicKey, 'buffer').subarray(-4);
  return base32nopad.encode(Buffer.concat([publicKey, checksum]));
}

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The outcome: `key`, `other-key` and `contract` for a proof, otherwise the error's code. */
export async function outcomeOf(
  proof: () => unknown,
): Promise<UserErrorCode | 'retryable' | 'key' | 'other-key' | 'contract'> {
  try {
    return ((await proof()) as { by: 'key' | 'other-key' | 'contract' }).by;
  } catch (error) {
    if (error instanceof UserError) return error.code;
    if (error instanceof RetryableError) return 'retryable';
    throw error;
  }
}
