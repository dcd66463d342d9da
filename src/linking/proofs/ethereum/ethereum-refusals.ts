import { UserError } from '#base';
import { ethereum } from '#wallet/chains';
import { ownersWanted } from './ethereum-contract.ts';
import type { EthereumNode } from './ethereum-node.ts';
import { isOfKeyLength, KEY_SIGNATURE_BYTES } from './ethereum-signature.ts';

/** A signature that isn't the wallet's, and whose it is. */
interface Refused {
  readonly address: string;
  readonly signature: Uint8Array;
  /** In lower case; undefined if no key can have made it. */
  readonly signer: string | undefined;
}

/**
 * Without a node we can't tell whether the wallet is a contract: the signer may be a contract's
 * owner.
 */
export function refusedWithoutNode({ address, signature, signer }: Refused): UserError {
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

/** Only the wallet's own key counts, as its address has no code. */
export function refusedByKey({ address, signature, signer }: Refused): UserError {
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
export async function refusedByContract(node: EthereumNode, refused: Refused): Promise<UserError> {
  const { address, signature, signer } = refused;
  // An account that delegates to code (EIP-7702) has its own key, and its owner knows of no contract.
  if (signer !== undefined && !(await node.isContract(address))) return refusedByKey(refused);
  const wanted = (await ownersWanted(node, address)) ?? 0;
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
  if (isOfKeyLength(signature)) return malformed();
  return new UserError(
    'signature-cut',
    `This signature has ${signature.length} bytes, and an Ethereum account's has ${KEY_SIGNATURE_BYTES}: 0x and 130 hex digits. Copy all of it.`,
    [],
    { values: [String(signature.length)] },
  );
}

/** The signature is for code that the account doesn't have yet. */
export function undelegated(): UserError {
  return new UserError(
    'signature-undelegated',
    "Your wallet signed for a smart account that isn't set up yet (ERC-8010). Sign with the account's own key, or set up the smart account on Ethereum mainnet first.",
  );
}

export function malformed(): UserError {
  return new UserError(
    'signature-malformed',
    "This isn't an Ethereum wallet's signature. Send everything your wallet gave you: 0x and 130 hex digits, or more for a contract.",
  );
}

function shown(signer: string): string {
  return ethereum.canonical(signer);
}
