import { RetryableError, UserError } from '#base';
import { ofWallet } from '#linking/proofs/operator-faults';
import { readHex } from '#linking/proofs/submitted';
import { requireUsableEthereum } from '#linking/proofs/unusable-addresses';
import type {
  Challenge,
  Proof,
  StoredProof,
  Submission,
  WalletProver,
} from '#linking/proving/proof';
import { delegationsUnseen, hasDelegated, vaultsOf } from './delegations.ts';
import { wrappedKeySignature } from './erc6492.ts';
import { askContract, toHex } from './ethereum-contract.ts';
import type { EthereumNode } from './ethereum-node.ts';
import {
  malformed,
  refusedByContract,
  refusedByKey,
  refusedWithoutNode,
  undelegated,
} from './ethereum-refusals.ts';
import { personalHash, signerOf } from './ethereum-signature.ts';

/** The suffix that ERC-8010 adds to the signature of an account that isn't delegated yet (EIP-7702). */
const WRAPPER_END = Buffer.from('8010'.repeat(16), 'hex');
const WORD = 32;

/**
 * What stands in an ERC-8010 wrapper: the signature that the account's future code is to accept, in front of
 * the authorization for that code, its length and the suffix.
 * https://eips.ethereum.org/EIPS/eip-8010
 * @returns undefined unless it is such a wrapper
 */
function signatureIn8010(signature: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(signature);
  const lengthAt = bytes.length - 2 * WORD;
  if (lengthAt < 0 || !bytes.subarray(-WORD).equals(WRAPPER_END)) return undefined;
  const length = BigInt(`0x${bytes.toString('hex', lengthAt, lengthAt + WORD)}`);
  return length <= BigInt(lengthAt) ? bytes.subarray(0, lengthAt - Number(length)) : undefined;
}

const NETWORK = 'eip155:1';

/**
 * Proofs by `personal_sign` (EIP-191): of ordinary accounts by their key; with a node, of contracts
 * by their code's verdict, too (ERC-1271, ERC-6492). The key is checked first, because it keeps
 * control of an account that delegates to code (EIP-7702).
 */
export function ethereumProver(node: EthereumNode | undefined): WalletProver {
  return {
    chain: 'ethereum',
    accountName: 'Ethereum',
    chainId: '1',
    requireUsable: requireUsableEthereum,
    transaction: () => undefined,

    async isContract(address) {
      try {
        return (await node?.isContract(address)) ?? false;
      } catch (error) {
        // Its signature couldn't be checked either.
        if (error instanceof RetryableError || error instanceof UserError) return false;
        throw error;
      }
    },

    async check(challenge: Challenge, submission: Submission): Promise<Proof> {
      const { wallet, text } = challenge;
      const given = read(submission);
      // Once the account has its code, that judges what stands in the wrapper.
      const inner = signatureIn8010(given);
      const signature = inner ?? given;
      const hashed = personalHash(text);
      const { address } = wallet;
      const signer = signerOf(hashed, signature);
      const wrapped = wrappedKeySignature(signature);
      if (isOf(address, signer) || (wrapped && isOf(address, signerOf(hashed, wrapped)))) {
        return { wallet, by: 'key', network: NETWORK, evidence: undefined };
      }
      const refused = { address, signature, signer };
      if (node === undefined) throw refusedWithoutNode(refused);
      const verdict = await askContract(node, address, hashed, signature);
      // An outdated yes may come from a former owner.
      await node.requireFresh();
      if (verdict === 'yes') {
        return { wallet, by: 'contract', network: NETWORK, evidence: toHex(signature) };
      }
      if (verdict === 'no-contract' && inner !== undefined) throw undelegated();
      throw verdict === 'no' ? await refusedByContract(node, refused) : refusedByKey(refused);
    },

    ...(node !== undefined && {
      async vaultsOf({ address }) {
        const vaults = await vaultsOf(node, address);
        return vaults.map((each) => ({ chain: 'ethereum', address: each }));
      },
      delegates: (vault, delegate) => hasDelegated(node, vault.address, delegate.address),
    }),

    async stillHolds({ wallet, by, text, evidence }: StoredProof): Promise<boolean> {
      if (by === 'delegation') {
        if (node === undefined || evidence === undefined) throw delegationsUnseen();
        return await ofWallet(() => hasDelegated(node, wallet.address, evidence));
      }
      if (by !== 'contract') return true;
      const signature = evidence === undefined ? undefined : readHex(evidence);
      if (node === undefined || signature === undefined) throw cannotTell();
      const verdict = await ofWallet(() =>
        askContract(node, wallet.address, personalHash(text), signature),
      );
      if (verdict === 'yes') return true;
      await node.requireFresh();
      return false;
    },
  };
}

function read({ form, signature }: Submission): Uint8Array {
  const bytes = form === undefined || form === 'message' ? readHex(signature) : undefined;
  if (bytes === undefined) throw malformed();
  return bytes;
}

function isOf(address: string, signer: string | undefined): boolean {
  return signer === address.toLowerCase();
}

function cannotTell(): RetryableError {
  return new RetryableError(
    "Couldn't check whether the contract still accepts the signature. Try again later.",
    { retryAfter: 3_600 },
  );
}
