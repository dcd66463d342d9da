import { ed25519 } from '@noble/curves/ed25519.js';
import { base32nopad, base58 } from '@scure/base';
import { recoverMessageAddress } from 'viem';
import type { PageChallenge } from '#linking/page-service';
import type { Submission } from '#linking/proving/proof';
import type { Wallet } from '#wallet/wallet';
import { sha256 } from './link-keys.ts';

/** A chain's unsigned transaction that carries a text; undefined if the chain has none. */
export function transactionOf({ chain, address }: Wallet, text: string): Buffer | undefined {
  if (chain === 'solana')
    return Buffer.concat([Buffer.from([1]), Buffer.alloc(64), memo(address, text)]);
  return chain === 'algorand' ? note(address, text) : undefined;
}

/** What ARC-60 signs for a domain. */
export function arc60Of(text: string, domain: string) {
  const data = Buffer.from(JSON.stringify({ message: text }, null, 1));
  const authenticatorData = Buffer.concat([
    sha256(Buffer.from(domain)),
    Buffer.from([1, 0, 0, 0, 0]),
  ]);
  return {
    data: data.toString('base64'),
    authenticatorData: authenticatorData.toString('base64'),
  };
}

/** Whether a submission was signed by the wallet for its challenge. */
export async function isSigned(challenge: PageChallenge, submission: Submission): Promise<boolean> {
  const { wallet, text } = challenge;
  const { form, signature } = submission;
  if (wallet.chain === 'ethereum') {
    const signer = await recoverMessageAddress({
      message: text,
      signature: signature as `0x${string}`,
    });
    return signer === wallet.address;
  }
  // In base58 a signature has at most 88 characters, as in base64, but no padding.
  const isBase58 = wallet.chain === 'solana' && /^[1-9A-HJ-NP-Za-km-z]{80,88}$/.test(signature);
  const bytes = Buffer.from(isBase58 ? base58.decode(signature) : Buffer.from(signature, 'base64'));
  const publicKey =
    wallet.chain === 'solana'
      ? base58.decode(wallet.address)
      : base32nopad.decode(wallet.address).subarray(0, 32);
  const isOf = (sig: Uint8Array, signed: Uint8Array) =>
    sig.length === 64 && ed25519.verify(sig, signed, publicKey, { zip215: false });
  if (form === 'arc60') return isOf(bytes, signedByArc60(challenge, submission));
  const isBare = bytes.length === 64;
  if (wallet.chain === 'solana') {
    if (isBare) return isOf(bytes, Buffer.from(text));
    const message = memo(wallet.address, text);
    return bytes.subarray(65).equals(message) && isOf(bytes.subarray(1, 65), message);
  }
  if (isBare) return isOf(bytes, Buffer.from(`MX${text}`));
  const transaction = note(wallet.address, text);
  const sig = bytes.subarray(bytes.length - transaction.length - 4 - 64).subarray(0, 64);
  return isOf(sig, Buffer.concat([Buffer.from('TX'), transaction]));
}

function signedByArc60({ arc60 }: PageChallenge, { authenticatorData }: Submission): Buffer {
  if (arc60 === undefined || !authenticatorData?.startsWith(arc60.authenticatorData.slice(0, 40))) {
    throw new Error('the page made up an ARC-60');
  }
  return Buffer.concat([
    sha256(Buffer.from(arc60.data, 'base64')),
    sha256(Buffer.from(authenticatorData, 'base64')),
  ]);
}

/** The message of a Solana transaction with a memo. */
function memo(address: string, text: string): Buffer {
  const data = Buffer.from(text);
  return Buffer.concat([
    Buffer.from([1, 0, 1, 2]),
    base58.decode(address),
    base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    Buffer.alloc(32),
    Buffer.from([1, 1, 1, 0, (data.length & 0x7f) | 0x80, data.length >> 7]),
    data,
  ]);
}

/** An Algorand payment of zero with a note, in MessagePack. */
function note(address: string, text: string): Buffer {
  const key = Buffer.from(base32nopad.decode(address).subarray(0, 32));
  const name = (word: string) =>
    Buffer.concat([Buffer.from([0xa0 | word.length]), Buffer.from(word)]);
  const short = (bytes: Buffer) => Buffer.concat([Buffer.from([0xc4, bytes.length]), bytes]);
  const data = Buffer.from(text);
  return Buffer.concat([
    Buffer.from([0x87]),
    ...[name('fv'), Buffer.from([1])],
    ...[name('gh'), short(Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64'))],
    ...[name('lv'), Buffer.from([1])],
    ...[name('note'), Buffer.from([0xc5, data.length >> 8, data.length & 0xff]), data],
    ...[name('rcv'), short(key)],
    ...[name('snd'), short(key)],
    ...[name('type'), name('pay')],
  ]);
}
