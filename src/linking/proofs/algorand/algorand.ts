import { base32nopad } from '@scure/base';
import { RetryableError, UserError } from '#base';
import { areEqual } from '#linking/proofs/bytes';
import { isPossibleKey, verifierOf } from '#linking/proofs/ed25519';
import { ofWallet } from '#linking/proofs/operator-faults';
import { requireUsableAlgorand } from '#linking/proofs/unusable-addresses';
import type {
  Challenge,
  Proof,
  StoredProof,
  Submission,
  WalletProver,
} from '#linking/proving/proof';
import type { AlgorandIndexer } from './algorand-indexer.ts';
import { candidatesOf, multisig, type SignatureCandidate } from './algorand-submission.ts';
import { noteTransaction } from './algorand-transaction.ts';
import { arc60Data, plainAuthenticatorData } from './arc60.ts';

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
