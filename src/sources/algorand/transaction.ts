import Type, { type Static } from 'typebox';
import { answerCheck, Count, Uint64 } from '#sources/node/answer-schema';

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
export const checkTransaction = answerCheck(Transaction);

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
