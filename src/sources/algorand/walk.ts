import { UserError } from '#base';
import { sortable } from '#scoring';
import { MalformedAnswer } from '#sources/node/answer-schema';
import { algorand } from '#wallet/chains';
import { checkTransaction, type RootTransaction, type Transaction } from './transaction.ts';

/** Above the protocol's limit: applications can call each other 8 levels deep. */
const DEEPEST = 16;

/** A transaction with its position below its top-level transaction. */
export interface PlacedTransaction {
  readonly transaction: Transaction;
  /** See `placeOf`: the position in the block, then the index among the inner transactions at each level. */
  readonly place: string;
}

/**
 * A transaction and all its inner transactions, each before those it caused.
 * @throws MalformedAnswer
 */
export function walkTransactions(root: RootTransaction): PlacedTransaction[] {
  const found: PlacedTransaction[] = [];
  function visit(transaction: Transaction, place: string, depth: number): void {
    found.push({ transaction, place });
    const inner = transaction['inner-txns'] ?? [];
    if (depth === DEEPEST && inner.length > 0) {
      throw new MalformedAnswer('sent inner transactions that are nested too deeply');
    }
    inner.forEach((each, index) => {
      visit(checkTransaction(each), `${place}.${sortable(index)}`, depth + 1);
    });
  }
  visit(root, `${sortable(root['intra-round-offset'])}.${root.id}`, 0);
  return found;
}

/** @throws MalformedAnswer if the checksum is wrong */
export function checkedAddress(text: string): string {
  try {
    return algorand.canonical(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new MalformedAnswer('sent an address with a wrong checksum', { cause: error });
  }
}
