import { base58 } from '@scure/base';
import { UserError } from '#base';
import { encodedIn, listsIn } from '#linking/challenge/key-pair-forms';
import { areEqual, concatBytes } from '#linking/proofs/bytes';
import { isSecretKey, mayBeSignature, verifierOf } from '#linking/proofs/ed25519';
import { readingsOf } from '#linking/proofs/submitted';
import { requireUsableSolana } from '#linking/proofs/unusable-addresses';
import type {
  Challenge,
  Proof,
  SignatureForm,
  Submission,
  WalletProver,
} from '#linking/proving/proof';
import {
  isInertMemo,
  isVersion1,
  memoMessage,
  memoMessages,
  parseMessage,
  payerOfOther,
  unsignedTransaction,
} from './solana-message.ts';

/** No transaction starts with its first byte. */
const SIGNING_DOMAIN = concatBytes(0xff, 'solana offchain');
/** Ledger and others leave it empty. */
const NO_APPLICATION = new Uint8Array(32);
/** Longer texts use a different format in version 0. */
const MOST_OF_SHORT = 1_212;
const ASCII = 0;
const UTF8 = 1;
const LONG_UTF8 = 2;

/**
 * What a text becomes before the Solana command line or a Ledger signs it: a header and the text.
 * There are several headers, and the signature does not say which it was:
 * - version 0 as solana-sdk (and so the command line and Ledger apps before 1.8) writes it: format
 *   and length. https://docs.rs/solana-offchain-message
 * - version 0 as it is specified (Ledger): application, format, signers and length.
 *   https://docs.anza.xyz/proposals/off-chain-message-signing
 * - version 1: signers only; Ledger's first ones had the length too.
 *   https://github.com/anza-xyz/kit/tree/main/packages/offchain-messages
 *
 * A line break makes a text UTF-8 by the specification, and leaves it ASCII to Ledger.
 */
function envelopesOf(signer: Uint8Array, text: string): readonly Uint8Array[] {
  const message = Buffer.from(text, 'utf8');
  const length = Uint8Array.of(message.length & 0xff, message.length >> 8);
  const formats = [ASCII, message.length > MOST_OF_SHORT ? LONG_UTF8 : UTF8];
  const signers = concatBytes(1, signer);
  return [
    ...formats.map((format) => concatBytes(SIGNING_DOMAIN, 0, format, length, message)),
    ...formats.map((format) =>
      concatBytes(SIGNING_DOMAIN, 0, NO_APPLICATION, format, signers, length, message),
    ),
    concatBytes(SIGNING_DOMAIN, 1, signers, message),
    concatBytes(SIGNING_DOMAIN, 1, signers, length, message),
  ];
}

/** Where the only signer stands in an envelope: of version 0 as it is specified, and of version 1. */
const SIGNER_AT = [51, 18];

/** The other wallet that signed this text in an envelope that names it. */
function signerOfOther({ signature, message }: Signed, text: string): Uint8Array | undefined {
  return SIGNER_AT.map((at) => message?.subarray(at, at + NO_APPLICATION.length)).find(
    (signer) =>
      signer?.length === NO_APPLICATION.length &&
      envelopesOf(signer, text).some((each) => message && areEqual(each, message)) &&
      message &&
      verifierOf(signer)(signature, message),
  );
}

const NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const SIGNATURE_BYTES = 64;
/** More signatures don't fit into a transaction. */
const MOST_SIGNERS = 12;

/** The wallet's signature, and the message it came with, if any. */
interface Signed {
  readonly signature: Uint8Array;
  readonly message: Uint8Array | undefined;
}

/**
 * Proofs by ed25519: over the text, over the text in an off-chain message envelope (what the
 * command line and Ledger sign), and over a transaction that carries the text and can never be
 * executed.
 */
export const solanaProver: WalletProver = {
  chain: 'solana',
  accountName: 'Solana',
  chainId: 'mainnet',
  requireUsable: requireUsableSolana,
  hasSecret: hasKeyPair,

  transaction({ wallet, text }) {
    return unsignedTransaction(memoMessage(base58.decode(wallet.address), text));
  },

  check(challenge: Challenge, { form, signature }: Submission): Proof {
    const { wallet, text } = challenge;
    const readings = readingsOf(signature);
    const submitted = readings.map(split).filter((each) => each !== undefined);
    const key = base58.decode(wallet.address);
    if (form === 'arc60') throw malformed();
    // Its signatures stand behind it, but older libraries put those of any version in front.
    const messages = [...readings, ...submitted.map((each) => each.message)];
    if (messages.some((each) => each && isVersion1(each))) throw versionUnsupported();
    if (submitted.length === 0) throw malformed();
    const isSigned = verifierOf(key);
    const isProof = submitted.some((each) =>
      signedMessages(form, key, text, each).some((message) => isSigned(each.signature, message)),
    );
    if (!isProof && submitted.every(isBadCopy)) throw malformed();
    if (!isProof) throw refused(challenge, submitted, form);
    return { wallet, by: 'key', network: NETWORK, evidence: undefined };
  },

  /** Solana keys can't be changed. */
  stillHolds: () => true,
};

/** What may have been signed: at most nine messages. */
function signedMessages(
  form: SignatureForm | undefined,
  key: Uint8Array,
  text: string,
  { message }: Signed,
): readonly Uint8Array[] {
  const texts =
    form === 'transaction' ? [] : [Buffer.from(text, 'utf8'), ...envelopesOf(key, text)];
  const mayBeTransaction = form !== 'message';
  if (message === undefined) {
    return mayBeTransaction ? [...texts, ...memoMessages(key, text)] : texts;
  }
  if (mayBeTransaction && isInertMemo(message, key, text)) return [message];
  return texts.filter((each) => areEqual(each, message));
}

/**
 * A bare signature, or one with its message: in the form of sent transactions and of Ledger's
 * signed texts, which start with the number of signatures. The payer's is the first.
 */
function split(bytes: Uint8Array): Signed | undefined {
  if (bytes.length === SIGNATURE_BYTES) return { signature: bytes, message: undefined };
  const [count = 0] = bytes;
  const messageAt = 1 + count * SIGNATURE_BYTES;
  if (count < 1 || count > MOST_SIGNERS || bytes.length <= messageAt) return undefined;
  const message = bytes.subarray(messageAt);
  // Otherwise they aren't this message's signatures.
  if ((parseMessage(message)?.signers ?? count) !== count) return undefined;
  return { signature: bytes.subarray(1, 1 + SIGNATURE_BYTES), message };
}

/** In base58, a signature without its last character has as many bytes. */
function isBadCopy({ signature, message }: Signed): boolean {
  return message === undefined && !mayBeSignature(signature);
}

function refused(
  { wallet, text }: Challenge,
  submitted: readonly Signed[],
  form: SignatureForm | undefined,
): UserError {
  const { address } = wallet;
  const own = base58.decode(address);
  const other = submitted
    .map(
      (each) =>
        each.message && (payerOfOther(each.message, own, text) ?? signerOfOther(each, text)),
    )
    .find((each) => each !== undefined);
  if (other !== undefined) {
    const signer = base58.encode(other);
    return new UserError(
      'signature-other-wallet',
      `${signer} signed this. Choose ${address} in your wallet and sign again.`,
      [],
      { values: [signer] },
    );
  }
  if (submitted.every((each) => signedMessages(form, own, text, each).length === 0)) {
    return new UserError(
      'transaction-changed',
      "What was signed isn't what we asked for, or the wallet changed it. Sign it as it is.",
    );
  }
  return new UserError(
    'signature-wrong',
    `This isn't ${address}'s signature of this text: another account signed, or another text. Choose that account and sign the whole text as it is.`,
  );
}

function versionUnsupported(): UserError {
  return new UserError(
    'transaction-version',
    'This is a Solana transaction of version 1, which is not read yet. Sign the text as a message, or the transaction as it is.',
  );
}

function malformed(): UserError {
  return new UserError(
    'signature-malformed',
    "This isn't a Solana wallet's signature. Send everything your wallet gave you: 64 bytes in base58, base64 or hex, or the signed transaction.",
  );
}

/**
 * Whether a text has a private key as Solana's and Algorand's tools store it, which looks like a signature but for its
 * halves: the second is the public key of the first. In hex, base58, base64 or as numbers, broken into lines, whatever
 * stands around it.
 */
export function hasKeyPair(text: string): boolean {
  return (
    listsIn(text).some(isSecretKey) ||
    encodedIn(text).some((each) => readingsOf(each).some(isSecretKey))
  );
}
