import { RetryableError, UserError } from '#core/errors';
import type { Challenge, KeptProof, Proof, Submission, WalletProver } from '#core/links/proof';
import { askContract, toHex, type Verdict } from './ethereum-contract.ts';
import type { EthereumNode } from './ethereum-node.ts';
import { isOfKeyLength, personalHash, signerOf } from './ethereum-signature.ts';
import { readHex } from './submitted.ts';
import { requireUsableEthereum } from './unusable-addresses.ts';

const NETWORK = 'eip155:1';

/**
 * Proofs by `personal_sign` (EIP-191): of ordinary accounts by their key, and with a node also of
 * contracts by what their code says (ERC-1271, ERC-6492). The key is looked at first, since it keeps
 * its power over an account that has lent its address to code (EIP-7702).
 */
export function ethereumProver(node: EthereumNode | undefined): WalletProver {
  return {
    chain: 'ethereum',
    accountName: 'Ethereum',
    chainId: '1',
    requireUsable: requireUsableEthereum,
    transaction: () => undefined,

    async check(challenge: Challenge, submission: Submission): Promise<Proof> {
      const { wallet, text } = challenge;
      const signature = read(submission);
      const hashed = personalHash(text);
      const signer = signerOf(hashed, signature);
      if (signer === wallet.address.toLowerCase()) {
        return { wallet, by: 'key', network: NETWORK, evidence: undefined };
      }
      if (node === undefined) throw refusedByKey(wallet.address, signature, signer, undefined);
      const verdict = await askContract(node, wallet.address, hashed, signature);
      if (verdict === 'no-contract') throw refusedByKey(wallet.address, signature, signer, verdict);
      if (verdict === 'no') throw refusedByContract();
      return { wallet, by: 'contract', network: NETWORK, evidence: toHex(signature) };
    },

    async stillHolds({ wallet, by, text, evidence }: KeptProof): Promise<boolean> {
      if (by !== 'contract') return true;
      const signature = evidence === undefined ? undefined : readHex(evidence);
      if (node === undefined || signature === undefined) throw cannotTell();
      const verdict = await stillSaid(node, wallet.address, personalHash(text), signature);
      if (verdict === 'yes') return true;
      await node.requireFresh();
      return false;
    },
  };
}

/** A node of the wrong chain is the operator's fault, and says nothing of the wallet. */
async function stillSaid(
  node: EthereumNode,
  address: string,
  hashed: Uint8Array,
  signature: Uint8Array,
): Promise<Verdict> {
  try {
    return await askContract(node, address, hashed, signature);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new RetryableError(error.message, { cause: error });
  }
}

function read({ form, signature }: Submission): Uint8Array {
  const bytes = form === undefined || form === 'message' ? readHex(signature) : undefined;
  if (bytes === undefined) throw malformed();
  return bytes;
}

/** What to say when only a key could have made it and the wallet's own did not. */
function refusedByKey(
  address: string,
  signature: Uint8Array,
  signer: string | undefined,
  verdict: 'no-contract' | undefined,
): UserError {
  if (signer !== undefined) {
    return new UserError(
      'signature-other-wallet',
      `This signature is of another wallet than ${address}, or of another text. Choose that account in your wallet and sign the whole text, as it is.`,
    );
  }
  if (isOfKeyLength(signature)) return malformed();
  if (verdict === 'no-contract') {
    return new UserError(
      'signature-wrong',
      `This looks like the signature of a contract, but Ethereum mainnet has none at ${address}. Sign with the account itself, or link the address of the contract.`,
    );
  }
  return new UserError(
    'contract-unsupported',
    'This looks like the signature of a wallet that is a contract, and this service has no Ethereum node to ask it. Link an ordinary account instead.',
  );
}

function refusedByContract(): UserError {
  return new UserError(
    'signature-wrong',
    'The contract of this wallet does not accept this signature. Sign the whole text again, as it is and on Ethereum mainnet; a wallet of several owners needs enough of them.',
  );
}

function malformed(): UserError {
  return new UserError(
    'signature-malformed',
    'This is not a signature of an Ethereum wallet. Sign the text again and send all that the wallet gives: 0x and 130 hex digits, or more for a wallet that is a contract.',
  );
}

function cannotTell(): RetryableError {
  return new RetryableError(
    'Whether the contract still accepts the signature cannot be told now. Try again later.',
    { retryAfter: 3_600 },
  );
}
