import Type, { type Static } from 'typebox';
import { UserError } from '#base';
import { sortable } from '#scoring';
import { answerCheck, Count, MalformedAnswer, Uint64 } from '#sources/node/answer-schema';
import { algorand } from '#wallet/chains';

/**
 * The fields of the indexer's responses that we use. Source:
 * https://github.com/algorand/indexer/blob/main/api/indexer.oas3.yml
 */

const Address = Type.String({ pattern: '^[A-Z2-7]{58}$' });
const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$' });

const Transaction = Type.Object({
  sender: Address,
  'tx-type': Type.String(),
  logs: Type.Optional(Type.Array(Base64)),
  'created-application-index': Type.Optional(Uint64),
  'created-asset-index': Type.Optional(Uint64),
  'application-transaction': Type.Optional(
    Type.Object({
      'application-id': Uint64,
      'application-args': Type.Optional(Type.Array(Base64)),
      'on-completion': Type.Optional(Type.String()),
    }),
  ),
  'asset-transfer-transaction': Type.Optional(
    Type.Object({
      'asset-id': Uint64,
      amount: Uint64,
      receiver: Address,
      sender: Type.Optional(Address),
      'close-to': Type.Optional(Address),
      'close-amount': Type.Optional(Uint64),
    }),
  ),
  'asset-config-transaction': Type.Optional(
    Type.Object({
      'asset-id': Type.Optional(Uint64),
      params: Type.Optional(Type.Object({ total: Uint64 })),
    }),
  ),
  // Checked one by one, because they nest.
  'inner-txns': Type.Optional(Type.Array(Type.Unknown())),
});
export type Transaction = Static<typeof Transaction>;
const checkTransaction = answerCheck(Transaction);

const RootTransaction = Type.Object({
  ...Transaction.properties,
  id: Type.String({ pattern: '^[A-Z2-7]{52}$' }),
  'confirmed-round': Count,
  'round-time': Count,
  'intra-round-offset': Count,
});
export type RootTransaction = Static<typeof RootTransaction>;

export const checkPage = answerCheck(
  Type.Object({
    'current-round': Count,
    'next-token': Type.Optional(Type.String({ maxLength: 1_000 })),
    transactions: Type.Array(RootTransaction),
  }),
);

export const checkHealth = answerCheck(
  Type.Object({
    round: Count,
    'db-available': Type.Boolean(),
    'is-migrating': Type.Boolean(),
  }),
);

export const checkHeader = answerCheck(
  Type.Object({
    ...{ round: Count, timestamp: Count, 'genesis-id': Type.String() },
    // How many transactions the chain had by then; 0 in its first months.
    'txn-counter': Type.Optional(Count),
  }),
);

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
