import { algorand } from '#chains/algorand';
import { UserError } from '#core/errors';
import { sortable } from '#core/scoring/reading/place';
import { MalformedAnswer } from '#sources/node/answer-schema';
import { checkTransaction, type RootTransaction, type Transaction } from './transaction.ts';

/** Applications call each other at most 8 deep. */
const DEEPEST = 16;

/** A transaction with its place in the one that was sent. */
export interface PlacedTransaction {
  readonly transaction: Transaction;
  /** See `placeOf`: the place in the block, then at each depth the place among the inner ones. */
  readonly place: string;
}

/**
 * A transaction and all inner ones, each before those that it caused.
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

/** @throws MalformedAnswer when its checksum is wrong */
export function checkedAddress(text: string): string {
  try {
    return algorand.canonical(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new MalformedAnswer('sent an address with a wrong checksum', { cause: error });
  }
}
