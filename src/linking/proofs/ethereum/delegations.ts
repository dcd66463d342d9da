import { RetryableError } from '#base';
import { ethereum } from '#wallet/chains';
import type { EthereumNode } from './ethereum-node.ts';

/** delegate.xyz's registry v2, at one address on every chain. https://docs.delegate.xyz/technical-documentation/delegate-registry */
export const DELEGATE_REGISTRY = '0x00000000000000447e69651d841bD8D104Bed493';

/** `getIncomingDelegations(address)`, `checkDelegateForAll(address,address,bytes32)`. */
const INCOMING = '42f87c25';
const CHECK_ALL = 'e839bd53';

const WORD = 64;
/** Words of a delegation: type, to, from, rights, contract, token, amount. */
const WORDS = 7;
/** `DelegationType.ALL`; others are for one contract or token. */
const ALL = word(1n);
const NO_RIGHTS = word(0n);

/**
 * The wallets that have delegated everything to an address, in the order in which they first did.
 * Delegations with particular rights, or for one contract or token, don't count.
 * @returns addresses with their checksum, each once
 * @throws UserError `contract-wrong-network`; RetryableError, also for a malformed answer
 */
export async function vaultsOf(node: EthereumNode, delegate: string): Promise<readonly string[]> {
  const to = wordOf(delegate);
  const answer = (await node.call(DELEGATE_REGISTRY, `0x${INCOMING}${to}`)).slice(2).toLowerCase();
  const words = wordsOf(answer);
  const [offset, count = '', ...rest] = words;
  const isWhole =
    offset === word(32n) &&
    rest.length % WORDS === 0 &&
    count === word(BigInt(rest.length / WORDS));
  if (!isWhole) throw node.nonsense();
  const vaults = new Set<string>();
  for (let at = 0; at < rest.length; at += WORDS) {
    const [type, receiver, from = '', rights] = rest.slice(at, at + WORDS);
    if (type !== ALL || rights !== NO_RIGHTS || receiver !== to || from === to) continue;
    if (!from.startsWith('0'.repeat(24))) throw node.nonsense();
    vaults.add(ethereum.canonical(`0x${from.slice(24)}`));
  }
  return [...vaults];
}

/**
 * Whether a wallet has delegated everything to an address now.
 * @throws as `vaultsOf`; RetryableError if the node is too far behind to tell
 */
export async function hasDelegated(
  node: EthereumNode,
  vault: string,
  delegate: string,
): Promise<boolean> {
  const data = `0x${CHECK_ALL}${wordOf(delegate)}${wordOf(vault)}${NO_RIGHTS}`;
  const answer = (await node.call(DELEGATE_REGISTRY, data)).slice(2);
  // An outdated yes may have been revoked, and an outdated no is nobody's fault.
  await node.requireFresh();
  if (answer === word(1n)) return true;
  if (answer === word(0n)) return false;
  throw node.nonsense();
}

/** Without a node nothing is known of delegations. */
export function delegationsUnseen(): RetryableError {
  return new RetryableError(
    "Couldn't check whether the wallet still delegates to yours. Try again later.",
    { retryAfter: 3_600 },
  );
}

function wordsOf(hex: string): string[] {
  return hex.length % WORD === 0 ? (hex.match(/.{64}/g) ?? []) : [];
}

function wordOf(address: string): string {
  return word(BigInt(address));
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD, '0');
}
