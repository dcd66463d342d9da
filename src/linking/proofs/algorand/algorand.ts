import { hash } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { RetryableError, UserError } from '#base';
import { areEqual, concatBytes } from '#linking/proofs/bytes';
import { isPossibleKey, verifierOf } from '#linking/proofs/ed25519';
import { ofWallet } from '#linking/proofs/json-service';
import { readBase64, readingsOf } from '#linking/proofs/submitted';
import { requireUsableAlgorand } from '#linking/proofs/unusable-addresses';
import type {
  Challenge,
  Proof,
  StoredProof,
  Submission,
  WalletProver,
} from '#linking/proving/proof';
import { addressOfKey } from '#wallet/chains';
import type { AlgorandIndexer } from './algorand-indexer.ts';
import {
  isSignedOtherwise,
  noteTransaction,
  readSigned,
  type SignedTransaction,
  senderOfNote,
  signedOfTransaction,
} from './algorand-transaction.ts';

/** https://github.com/ChainAgnostic/namespaces/blob/main/algorand/caip2.md */
const MAINNET = 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73k';
const NETWORK = `algorand:${MAINNET}`;
const KEY_BYTES = 32;

/**
 * Proofs by ed25519: over the text with the prefix `MX`, by ARC-60, and over a transaction that
 * carries the text and can't be submitted. With an indexer, the account's current key counts, which
 * differs after rekeying. Without one, the key in its address counts, even if it was rekeyed away;
 * the user is told so.
 */
export function algorandProver(indexer: AlgorandIndexer | undefined): WalletProver {
  return {
    chain: 'algorand',
    accountName: 'Algorand',
    chainId: MAINNET,
    caveat: indexer === undefined ? 'rekeying-unseen' : undefined,
    requireUsable: requireUsableAlgorand,
    transaction: ({ wallet, text }) => noteTransaction(keyIn(wallet.address), text),
    arc60: ({ text }) => ({
      data: arc60Data(text, NETWORK),
      authenticatorData: plainAuthenticatorData(text),
    }),

    async check({ wallet, text }: Challenge, submission: Submission): Promise<Proof> {
      const { address } = wallet;
      const candidates = candidatesOf({ own: keyIn(address), text, network: NETWORK }, submission);
      const authority = indexer === undefined ? address : await authorityNow(indexer, address);
      const signer = authority === address ? undefined : keyIn(authority);
      if (!isProof(candidates, keyIn(authority), signer)) {
        throw refused(address, authority, candidates, indexer !== undefined);
      }
      return authority === address
        ? { wallet, by: 'key', network: NETWORK, evidence: undefined }
        : { wallet, by: 'other-key', network: NETWORK, evidence: authority };
    },

    async stillHolds({ wallet, by, evidence }: StoredProof): Promise<boolean> {
      if (indexer === undefined) {
        if (by === 'key') return true;
        throw new RetryableError(
          "Without an indexer we can't tell which key controls an Algorand account.",
          { retryAfter: 3_600 },
        );
      }
      return await ofWallet(async () => {
        const authority = await indexer.authorityOf(wallet.address);
        if (authority.address === (by === 'key' ? wallet.address : evidence)) return true;
        await indexer.requireFresh(authority.round);
        return false;
      });
    },
  };
}

/** Who signs for an account right now: an older answer may predate a rekeying. */
async function authorityNow(indexer: AlgorandIndexer, address: string): Promise<string> {
  const { address: authority, round } = await indexer.authorityOf(address);
  // The answer about an unused account has no round.
  if (round === undefined) await indexer.requireUsable();
  else await indexer.requireFresh(round);
  return authority;
}

/** @param signer of a rekeyed account, the only one that a transaction may name */
function isProof(
  candidates: readonly SignatureCandidate[],
  key: Uint8Array,
  signer: Uint8Array | undefined,
): boolean {
  const isSigned = verifierOf(key);
  return candidates.some(({ signature, signed, namedSigner }) => {
    const isOfSigner =
      namedSigner === undefined || (signer !== undefined && areEqual(namedSigner, signer));
    return isOfSigner && isSigned(signature, signed);
  });
}

function refused(
  address: string,
  authority: string,
  candidates: readonly SignatureCandidate[],
  hasIndexer: boolean,
): UserError {
  if (!hasIndexer && candidates.some(({ namedSigner }) => namedSigner !== undefined)) {
    return new UserError(
      'rekeyed-unsupported',
      "Another key signed, and this service has no Algorand indexer to check whether the account was rekeyed to it. Link an account that wasn't rekeyed.",
    );
  }
  // The address of a multisig account or a program is a hash: fifteen of sixteen can't be a public key.
  if (!isPossibleKey(keyIn(authority))) return multisig();
  if (authority !== address) {
    return new UserError(
      'account-rekeyed',
      `This account was rekeyed, so its original key no longer proves anything. Sign with ${authority}, unless it takes several keys: then it can't be linked.`,
      [],
      { values: [authority] },
    );
  }
  if (!hasIndexer) {
    return new UserError(
      'signature-wrong-or-rekeyed',
      `This signature isn't by ${address}'s own key, or it's of another text. If the account was rekeyed, its new key can't be checked: this service has no Algorand indexer.`,
    );
  }
  return new UserError(
    'signature-wrong',
    `This isn't ${address}'s signature of this text: another account signed, or another text, or the wallet changed the transaction. Choose that account and sign exactly what is shown.`,
  );
}

/** The public key is the address without its checksum. */
function keyIn(address: string): Uint8Array {
  return base32nopad.decode(address).subarray(0, KEY_BYTES);
}

const SIGNATURE_BYTES = 64;

/** A signature and what it may sign; checking it with the right key decides. */
interface SignatureCandidate {
  readonly signature: Uint8Array;
  readonly signed: Uint8Array;
  /** The key that a signed transaction names because its sender was rekeyed. */
  readonly namedSigner?: Uint8Array | undefined;
}

interface ExpectedProof {
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
function candidatesOf(asked: ExpectedProof, submission: Submission): readonly SignatureCandidate[] {
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

function multisig(): UserError {
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

const HASH_BYTES = 32;
/** The hash, a byte of flags and a four-byte counter: WebAuthn's authenticator data. */
const FULL_BYTES = HASH_BYTES + 1 + 4;
/** The user was present, and no extensions follow that we would have to parse. */
const USER_PRESENT = 0x01;
const WITH_MORE = 0x40 | 0x80;

/** The text's lines by their ARC-60 field names. */
const FIELD_OF_LINE: ReadonlyMap<string, string> = new Map([
  ['URI', 'uri'],
  ['Version', 'version'],
  ['Nonce', 'nonce'],
  ['Issued At', 'issued-at'],
  ['Expiration Time', 'expiration-time'],
  ['Request ID', 'request-id'],
]);

/**
 * What a page passes to `signData` as `data` (in base64) with scope AUTH: the fields of the text as
 * JSON in canonical form (RFC 8785: no spaces, keys in order), which is what wallets hash. Of the
 * text `example.org wants you to …` come
 *
 *     {"account_address":"…","chain_id":"algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k",
 *      "domain":"example.org","expiration-time":"…","issued-at":"…","nonce":"…","request-id":"…",
 *      "statement":"…","type":"ed25519","uri":"…","version":"1"}
 *
 * in one line. `domain` is also the `domain` of the request, and its SHA-256 the
 * `authenticatorData`.
 * https://dev.algorand.co/arc-standards/arc-0060
 * @param text as `challengeText` writes it
 * @param network CAIP-2
 */
function arc60Data(text: string, network: string): string {
  const [, address = '', , statement = '', , ...lines] = text.split('\n');
  const fields: Record<string, string> = {
    account_address: address,
    chain_id: network,
    domain: domainOf(text),
    statement,
    type: 'ed25519',
  };
  for (const line of lines) {
    const end = line.indexOf(': ');
    const field = FIELD_OF_LINE.get(line.slice(0, end));
    if (field !== undefined) fields[field] = line.slice(end + 2);
  }
  return JSON.stringify(Object.fromEntries(Object.entries(fields).sort(byKey)));
}

/** The authenticator data that a page requests when it has no other. */
function plainAuthenticatorData(text: string): Uint8Array {
  return sha256(domainOf(text));
}

type AuthenticatorFault = 'malformed' | 'other-domain';

/**
 * Checks the authenticator data that was signed: its domain, and if it has flags, that the user was
 * present.
 */
function faultOfAuthenticatorData(data: Uint8Array, text: string): AuthenticatorFault | undefined {
  const flags = data.length === HASH_BYTES ? USER_PRESENT : data[HASH_BYTES];
  if (data.length !== HASH_BYTES && data.length !== FULL_BYTES) return 'malformed';
  if (flags === undefined || (flags & (USER_PRESENT | WITH_MORE)) !== USER_PRESENT) {
    return 'malformed';
  }
  const isOurs = areEqual(data.subarray(0, HASH_BYTES), plainAuthenticatorData(text));
  return isOurs ? undefined : 'other-domain';
}

/** What is signed: both hashes, concatenated. */
function signedOfArc60(data: string, authenticatorData: Uint8Array): Uint8Array {
  return concatBytes(sha256(data), sha256(authenticatorData));
}

/** The first word: the requesting host. */
function domainOf(text: string): string {
  return text.slice(0, text.indexOf(' '));
}

function sha256(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

function byKey([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}
