import { UserError } from '#base';
import { areEqual, concatBytes } from '#linking/proofs/bytes';
import { readBase64, readingsOf } from '#linking/proofs/submitted';
import type { Submission } from '#linking/proving/proof';
import { addressOfKey } from '#wallet/chains';
import {
  isSignedOtherwise,
  noteTransaction,
  readSigned,
  type SignedTransaction,
  senderOfNote,
  signedOfTransaction,
} from './algorand-transaction.ts';
import {
  arc60Data,
  faultOfAuthenticatorData,
  plainAuthenticatorData,
  signedOfArc60,
} from './arc60.ts';

const SIGNATURE_BYTES = 64;

/** A signature and what it may sign; checking it with the right key decides. */
export interface SignatureCandidate {
  readonly signature: Uint8Array;
  readonly signed: Uint8Array;
  /** The key that a signed transaction names because its sender was rekeyed. */
  readonly namedSigner?: Uint8Array | undefined;
}

export interface ExpectedProof {
  /** The key in the wallet's address. */
  readonly own: Uint8Array;
  readonly text: string;
  /** CAIP-2. */
  readonly network: string;
}

/**
 * What a submission may mean. The signed bytes are built from the text; a transaction may differ from
 * what was asked for only in what wallets fill in.
 * @returns at least one, at most three per reading
 * @throws UserError for what can't be a proof with any key
 */
export function candidatesOf(
  asked: ExpectedProof,
  submission: Submission,
): readonly SignatureCandidate[] {
  const readings = readingsOf(submission.signature);
  const bare = readings.filter((bytes) => bytes.length === SIGNATURE_BYTES);
  const mayBeTransaction = submission.form === undefined || submission.form === 'transaction';
  const transactions = mayBeTransaction
    ? readings.map(readSigned).filter((each) => each !== undefined)
    : [];
  if (bare.length === 0 && transactions.length === 0) {
    throw mayBeTransaction && readings.some(isSignedOtherwise) ? multisig() : malformed();
  }
  const messages = bare.length === 0 ? [] : messagesOf(asked, submission);
  const candidates = [
    ...bare.flatMap((signature) => messages.map((signed) => ({ signature, signed }))),
    ...transactions.filter(isAsked(asked)).map(({ signature, signer, transaction }) => {
      return { signature, signed: signedOfTransaction(transaction), namedSigner: signer };
    }),
  ];
  if (candidates.length === 0) throw otherTransaction(asked, transactions);
  return candidates;
}

/** What a bare signature may sign. */
function messagesOf(
  { own, text, network }: ExpectedProof,
  submission: Submission,
): readonly Uint8Array[] {
  const { form, authenticatorData } = submission;
  const messages: Uint8Array[] = [];
  if (form === undefined || form === 'message') messages.push(concatBytes('MX', text));
  if (form === undefined || form === 'transaction') {
    messages.push(signedOfTransaction(noteTransaction(own, text)));
  }
  if (form === undefined || form === 'arc60') {
    const data = arc60Data(text, network);
    messages.push(signedOfArc60(data, readAuthenticatorData(text, authenticatorData)));
  }
  return messages;
}

function readAuthenticatorData(text: string, submitted: string | undefined): Uint8Array {
  if (submitted === undefined) return plainAuthenticatorData(text);
  const data = readBase64(submitted);
  const fault = data === undefined ? 'malformed' : faultOfAuthenticatorData(data, text);
  if (fault === 'other-domain') {
    throw new UserError(
      'signature-other-site',
      'The wallet signed this for another website. Open the link again and sign on that page.',
    );
  }
  if (data === undefined || fault !== undefined) {
    throw new UserError(
      'authenticator-malformed',
      "The authenticator data isn't what we asked for. Sign again, or sign the transaction instead.",
    );
  }
  return data;
}

function isAsked({ own, text }: ExpectedProof): (signed: SignedTransaction) => boolean {
  return ({ transaction }) => {
    const sender = senderOfNote(transaction, text);
    return sender !== undefined && areEqual(sender, own);
  };
}

/** Excludes the transactions that were asked for. */
function otherTransaction(
  { text }: ExpectedProof,
  transactions: readonly SignedTransaction[],
): UserError {
  const sender = transactions
    .map(({ transaction }) => senderOfNote(transaction, text))
    .find((each) => each !== undefined);
  if (sender !== undefined) {
    const address = addressOfKey(sender);
    return new UserError(
      'signature-other-wallet',
      `This transaction is from ${address}. Choose the account you're linking in your wallet and sign again.`,
      [],
      { values: [address] },
    );
  }
  return new UserError(
    'transaction-changed',
    "The signed transaction isn't what we asked for, or the wallet changed it. Sign it as it is, or sign the text as a message.",
  );
}

export function multisig(): UserError {
  return new UserError(
    'multisig-unsupported',
    "Multisig accounts and logic signatures can't be linked. Link an account that a single key signs for.",
  );
}

function malformed(): UserError {
  return new UserError(
    'signature-malformed',
    "This isn't an Algorand wallet's signature. Send everything your wallet gave you: 64 bytes in base64, or the transaction signed by one key.",
  );
}
