import type { EthereumNode } from './ethereum-node.ts';
import { askContract, type ContractVerdict, KEY_SIGNATURE_BYTES } from './ethereum-signature.ts';

/** Three owners sign in six orders, each of which is a request. */
const MOST_OWNERS = 3;

/**
 * The contract's verdict on a signature, also with those of its owners in another order: a Safe takes them by address
 * alone, which owners who send each other theirs don't know.
 * @returns the signature in the order that the contract accepts
 * @throws as `askContract`
 */
export async function askInAnyOrder(
  node: EthereumNode,
  address: string,
  hashed: Uint8Array,
  signature: Uint8Array,
): Promise<{ readonly verdict: ContractVerdict; readonly signature: Uint8Array }> {
  const verdict = await askContract(node, address, hashed, signature);
  if (verdict !== 'no') return { verdict, signature };
  for (const other of otherOrders(signature)) {
    const isAccepted = (await askContract(node, address, hashed, other)) === 'yes';
    if (isAccepted) return { verdict: 'yes', signature: other };
  }
  return { verdict, signature };
}

function otherOrders(signature: Uint8Array): readonly Uint8Array[] {
  const count = signature.length / KEY_SIGNATURE_BYTES;
  if (!Number.isInteger(count) || count < 2 || count > MOST_OWNERS) return [];
  const own = Array.from({ length: count }, (_, i) =>
    Buffer.from(signature).toString('hex', i * KEY_SIGNATURE_BYTES, (i + 1) * KEY_SIGNATURE_BYTES),
  );
  const all = new Set(ordersOf(own).map((each) => each.join('')));
  all.delete(own.join(''));
  return [...all].map((each) => Buffer.from(each, 'hex'));
}

function ordersOf(all: readonly string[]): readonly (readonly string[])[] {
  if (all.length < 2) return [all];
  return all.flatMap((first, i) =>
    ordersOf(all.toSpliced(i, 1)).map((others) => [first, ...others]),
  );
}
