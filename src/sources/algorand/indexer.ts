import Type, { type Static } from 'typebox';
import { fieldOf, UserError } from '#base';
import { type SourcePosition, sortable } from '#scoring';
import { answerCheck, Count, MalformedAnswer, Uint64 } from '#sources/node/answer-schema';
import { NodeFault } from '#sources/node/fault';
import { KeptHistory } from '#sources/node/kept-history';
import type { NodeAnswer, NodeCall, NodeRequest, SourceNode } from '#sources/node/node';
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

const checkPage = answerCheck(
  Type.Object({
    'current-round': Count,
    'next-token': Type.Optional(Type.String({ maxLength: 1_000 })),
    transactions: Type.Array(RootTransaction),
  }),
);

const checkHealth = answerCheck(
  Type.Object({
    round: Count,
    'db-available': Type.Boolean(),
    'is-migrating': Type.Boolean(),
  }),
);

const checkHeader = answerCheck(
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

/** Indexers allow 10,000, but time out on more than this for busy assets. */
const PAGE = 1_000;
/** A range with more pages is split. */
const PAGES_MOST = 20;
const MAINNET = 'mainnet-v1.0';

/** How the indexer filters transactions. */
export type TransactionFilter =
  | { readonly 'application-id': string }
  | { readonly 'asset-id': string; readonly 'tx-type'?: 'acfg' };

/** The rounds from `from` to `to`, both included. */
export interface Rounds {
  readonly from: number;
  readonly to: number;
}

/** The newest round and its time. @throws NodeFault */
export async function newestRound(call: NodeCall): Promise<SourcePosition> {
  return await roundAt(call, await call.again(() => newestHeight(call)));
}

async function newestHeight(call: NodeCall): Promise<number> {
  const { status, json } = await call.ask({ path: '/health', isWhole: true });
  if (status !== 200) throw call.fault('refused', `answered with ${status}`);
  const health = call.check(checkHealth, json);
  if (health['is-migrating'] || !health['db-available']) {
    throw call.fault('behind', 'has no data right now');
  }
  return health.round;
}

/**
 * A round and its time. There's no hash: Algorand never forks, and indexers don't serve one. @throws
 * NodeFault
 */
export async function roundAt(call: NodeCall, round: number): Promise<SourcePosition> {
  const { timestamp } = await headerAt(call, round);
  return { height: round, hash: null, time: timestamp };
}

type Header = ReturnType<typeof checkHeader>;

async function headerAt(call: NodeCall, round: number): Promise<Header> {
  return await call.again(() => askForHeader(call, round));
}

async function askForHeader(call: NodeCall, round: number): Promise<Header> {
  const query = { 'header-only': 'true' };
  const { status, json } = await call.ask({ path: `/v2/blocks/${round}`, query, isWhole: true });
  if (status === 404) throw call.fault('behind', `doesn't have round ${round}`);
  if (status !== 200) throw call.fault('refused', `answered with ${status}`);
  const header = call.check(checkHeader, json);
  if (header['genesis-id'] !== MAINNET) throw call.fault('unfit', "isn't on Algorand's mainnet");
  if (header.round !== round)
    throw call.fault('broken', 'sent another round than the requested one');
  return header;
}

const kept = new WeakMap<SourceNode, KeptHistory>();

/**
 * Makes sure that an indexer has the transactions of a range: one that has deleted old ones still has their rounds, and
 * answers with an empty list.
 * @param newest the newest round
 * @throws NodeFault `unfit` if it lacks them
 */
export async function requireKept(call: NodeCall, { from, to }: Rounds, newest: number) {
  const history = kept.get(call.node) ?? new KeptHistory();
  kept.set(call.node, history);
  if (from === 0 || !history.isDoubtful(from, newest)) return;
  const before = (await headerAt(call, from - 1))['txn-counter'] ?? 0;
  if (before === 0) {
    history.undecided(from);
    return;
  }
  // The oldest comes first.
  const { transactions } = await pageOf(call, { limit: '1' }, { from, to });
  const first = transactions[0]?.['confirmed-round'];
  const last = first === undefined ? to : first - 1;
  if (last >= from && (await headerAt(call, last))['txn-counter'] !== before) {
    throw call.fault(
      'unfit',
      `sends no transactions of the rounds ${from} to ${last}, although their headers say that there are some. It has probably deleted them`,
    );
  }
  history.found(from);
}

/**
 * All matching transactions of a range of rounds, each once and in order. If an inner transaction matches,
 * its top-level transaction is returned, whether that matches or not.
 * @throws NodeFault; of kind `too-much` if the range must be smaller
 */
export async function transactionsIn(
  call: NodeCall,
  filter: TransactionFilter,
  rounds: Rounds,
): Promise<RootTransaction[]> {
  const found = new Map<string, RootTransaction>();
  const tokens = new Set<string>();
  let next: string | undefined;
  do {
    if (tokens.size === PAGES_MOST) {
      throw call.fault('too-much', `has more than ${PAGES_MOST} pages of transactions there`);
    }
    const query = { ...filter, limit: String(PAGE), ...(next !== undefined && { next }) };
    const page = await pageOf(call, query, rounds);
    for (const transaction of page.transactions) found.set(transaction.id, transaction);
    next = page['next-token'] === '' ? undefined : page['next-token'];
    // One indexer kept returning the same token if a page ended with an inner transaction.
    if (next !== undefined && tokens.has(next)) {
      throw call.fault('broken', 'gave the same page token twice');
    }
    if (next !== undefined) tokens.add(next);
  } while (next !== undefined);
  return [...found.values()].sort(
    (a, b) =>
      a['confirmed-round'] - b['confirmed-round'] ||
      a['intra-round-offset'] - b['intra-round-offset'],
  );
}

type Query = Readonly<Record<string, string>>;

/** A page of the transactions of a range of rounds. @throws NodeFault */
async function pageOf(call: NodeCall, filter: Query, rounds: Rounds) {
  return await call.again(() => askForPage(call, filter, rounds));
}

async function askForPage(call: NodeCall, filter: Query, { from, to }: Rounds) {
  const query = { ...filter, 'min-round': String(from), 'max-round': String(to) };
  const { status, json } = await askForSome(call, { path: '/v2/transactions', query });
  if (status !== 200) throw call.fault('refused', `answered with ${status}`);
  const page = call.check(checkPage, json);
  if (page['current-round'] < to) throw call.fault('behind', `hasn't reached ${to}`);
  const rounds = page.transactions.map((each) => each['confirmed-round']);
  if (rounds.some((round) => round < from || round > to)) {
    throw call.fault('broken', "sent a transaction of a round that wasn't requested");
  }
  return page;
}

/**
 * Whether an indexer says that its database took too long: with status 503 "timeout during call", with 500 "canceling
 * statement due to statement timeout", providers with 408 "Request Timeout".
 */
function isTimeout(json: unknown): boolean {
  return /time(?:d )?-?out/i.test(String(fieldOf(json, 'message')).slice(0, 1_000));
}

/** Asks for what can be asked in smaller parts. @throws NodeFault */
async function askForSome(call: NodeCall, request: NodeRequest): Promise<NodeAnswer> {
  try {
    const answer = await call.ask({ ...request, isAnswer: isTimeout });
    if (answer.status === 200 || !isTimeout(answer.json)) return answer;
    throw call.fault('too-much', `answered with ${answer.status}: its search takes too long`);
  } catch (error) {
    // An indexer that hangs would be asked for less and less, each time until its time is up.
    if (error instanceof NodeFault && error.kind === 'too-much') await newestRound(call);
    throw error;
  }
}
