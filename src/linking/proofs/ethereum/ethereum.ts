import { RetryableError, UserError } from '#base';
import { ofWallet } from '#linking/proofs/json-service';
import { readBase64, readHex } from '#linking/proofs/submitted';
import { requireUsableEthereum } from '#linking/proofs/unusable-addresses';
import type {
  Challenge,
  Proof,
  StoredProof,
  Submission,
  WalletProver,
} from '#linking/proving/proof';
import { ethereum } from '#wallet/chains';
import { delegationsUnseen, hasDelegated, vaultsOf } from './delegations.ts';
import type { EthereumNode } from './ethereum-node.ts';
import {
  askContract,
  isCut,
  isOfKeyLength,
  KEY_SIGNATURE_BYTES,
  ownersWanted,
  personalHash,
  signerOf,
  toHex,
  wrappedKeySignature,
} from './ethereum-signature.ts';
import { askInAnyOrder } from './owner-order.ts';

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

/** Half a byte is missing, perhaps with more, of a key's signature. */
const CUT_HEX = /^0x((?:[0-9a-f]{2}){0,64}[0-9a-f])$/i;

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
      const refused = {
        ...{ address, signature, signer },
        cut: isCut(hashed, signature, address.toLowerCase()),
      };
      if (node === undefined) throw refusedWithoutNode(refused);
      const asked = await askInAnyOrder(node, address, hashed, signature);
      const { verdict } = asked;
      // An outdated yes may come from a former owner.
      await node.requireFresh();
      if (verdict === 'yes') {
        return { wallet, by: 'contract', network: NETWORK, evidence: toHex(asked.signature) };
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
      if (node === undefined || signature === undefined) throw cannotCheck();
      const verdict = await ofWallet(() =>
        askContract(node, wallet.address, personalHash(text), signature),
      );
      if (verdict === 'yes') return true;
      await node.requireFresh();
      return false;
    },
  };
}

/** In hex; what a key signed also in base64, as of wallets that give bytes. */
function read({ form, signature }: Submission): Uint8Array {
  const isText = form === undefined || form === 'message';
  const bytes = isText ? readHex(signature) : undefined;
  if (bytes !== undefined) return bytes;
  const inBase64 = isText ? readBase64(signature) : undefined;
  if (inBase64?.length === KEY_SIGNATURE_BYTES) return inBase64;
  const digits = isText ? CUT_HEX.exec(signature)?.[1] : undefined;
  throw digits === undefined ? malformed() : cut(Math.floor(digits.length / 2));
}

function isOf(address: string, signer: string | undefined): boolean {
  return signer === address.toLowerCase();
}

function cannotCheck(): RetryableError {
  return new RetryableError(
    "Couldn't check whether the contract still accepts the signature. Try again later.",
    { retryAfter: 3_600 },
  );
}

/** A signature that isn't the wallet's, and whose it is. */
interface Refused {
  readonly address: string;
  readonly signature: Uint8Array;
  /** In lower case; undefined if no key can have made it. */
  readonly signer: string | undefined;
  readonly cut: ReturnType<typeof isCut>;
}

/**
 * Without a node we can't tell whether the wallet is a contract: the signer may be a contract's
 * owner.
 */
function refusedWithoutNode(refused: Refused): UserError {
  const { address, signature, signer } = refused;
  if (refused.cut !== 'no') return refusedAsCut(refused);
  if (signer !== undefined) {
    return new UserError(
      'signature-other-or-contract',
      `This signature is from ${shown(signer)}, or of another text. If ${address} is a contract, it can't be checked: this service has no Ethereum node.`,
      [],
      { values: [shown(signer)] },
    );
  }
  if (isOfKey(signature)) return notWhole(signature);
  return new UserError(
    'contract-unsupported',
    "This looks like a contract's signature, and this service has no Ethereum node to check it with. Link an ordinary account instead.",
  );
}

/** Somebody who lost its last byte in copying can send all of it for the same text. */
function refusedAsCut({ signature, signer, cut: isSo }: Refused): UserError {
  if (isSo === 'yes') return cut(signature.length);
  if (signer === undefined) return malformed();
  return new UserError(
    'signature-other-or-cut',
    `This signature has ${signature.length} bytes. If it's complete, it's from ${shown(signer)}, or of another text. If it was cut, copy all of it: 0x and 130 hex digits.`,
    [],
    { values: [String(signature.length), shown(signer)] },
  );
}

/** Only the wallet's own key counts, as its address has no code. */
function refusedByKey(refused: Refused): UserError {
  const { address, signature, signer } = refused;
  if (refused.cut !== 'no') return refusedAsCut(refused);
  if (signer !== undefined) {
    return new UserError(
      'signature-other-wallet',
      `This signature is from ${shown(signer)}, or of another text. Choose ${address} in your wallet and sign the whole text.`,
      [],
      { values: [shown(signer)] },
    );
  }
  if (isOfKey(signature)) return notWhole(signature);
  return new UserError(
    'contract-missing',
    `This looks like a contract's signature, but there's no contract at ${address} on Ethereum mainnet. Sign with the account itself, or link the contract's address on mainnet.`,
    [],
    { values: [address] },
  );
}

/**
 * Says what a Safe's signature is missing: a Safe rejects a signature unread if it is shorter than
 * its owners' signatures require.
 * https://github.com/safe-global/safe-smart-account/blob/main/contracts/Safe.sol (GS020)
 * @throws RetryableError if the node doesn't say how many owners must sign
 */
async function refusedByContract(node: EthereumNode, refused: Refused): Promise<UserError> {
  const { address, signature, signer } = refused;
  // An account that delegates to code (EIP-7702) has its own key, and its owner knows of no contract.
  if (signer !== undefined && !(await node.isContract(address))) return refusedByKey(refused);
  // Nothing at all is what owners hand in who have approved on chain.
  const isShort = signature.length > 0 && signature.length < KEY_SIGNATURE_BYTES;
  const wanted = (await ownersWanted(node, address)) ?? 0;
  if (wanted > 0 && isShort) return cut(signature.length);
  const given = Math.floor(signature.length / KEY_SIGNATURE_BYTES);
  if (given < wanted) {
    return new UserError(
      'owners-missing',
      `This wallet needs ${wanted} of its owners to sign, and ${given} did. Have the others sign too.`,
      [],
      { values: [String(given), String(wanted)] },
    );
  }
  return new UserError(
    'contract-refused',
    "This wallet's contract rejected the signature, or can't check any (ERC-1271). Sign the whole text on Ethereum mainnet, as an owner of the wallet.",
  );
}

/** No longer than a key's signature. A contract may even have accepted an empty one. */
function isOfKey({ length }: Uint8Array): boolean {
  return length > 0 && length <= KEY_SIGNATURE_BYTES;
}

function notWhole(signature: Uint8Array): UserError {
  return isOfKeyLength(signature) ? malformed() : cut(signature.length);
}

function cut(bytes: number): UserError {
  return new UserError(
    'signature-cut',
    `This signature has ${bytes} bytes, and an Ethereum account's has ${KEY_SIGNATURE_BYTES}: 0x and 130 hex digits. Copy all of it.`,
    [],
    { values: [String(bytes)] },
  );
}

/** The signature is for code that the account doesn't have yet. */
function undelegated(): UserError {
  return new UserError(
    'signature-undelegated',
    "Your wallet signed for a smart account that isn't set up yet (ERC-8010). Sign with the account's own key, or set up the smart account on Ethereum mainnet first.",
  );
}

function malformed(): UserError {
  return new UserError(
    'signature-malformed',
    "This isn't an Ethereum wallet's signature. Send everything your wallet gave you: 0x and 130 hex digits, or more for a contract.",
  );
}

function shown(signer: string): string {
  return ethereum.canonical(signer);
}
