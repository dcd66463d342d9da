import { UserError } from '#base';
import type { ImportedEvent } from '#reputation';
import {
  type EvidenceStore,
  type EvidenceStretch,
  IMPORT,
  type InputState,
  MATCHES_CHAIN,
  type SourcePosition,
  type StoredEvent,
  sortable,
  type WalletBalance,
  type WalletEvents,
} from '#scoring';
import { addBatch } from '#storage/changes/commit-changes';
import {
  type Dialect,
  firstRow,
  insertInto,
  type Row,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
  transactAlone,
} from '#storage/sql/script';
import { CHAINS, type Chain, type Wallet } from '#wallet';

/** SQL: the columns that describe an input. */
export const INPUT_COLUMNS = 'number, source, name, height, hash, time, verdict, events, left_out';

/** SQL: all inputs of chains. */
export const INPUT_STATES_SQL = `SELECT ${INPUT_COLUMNS} FROM evidence_input WHERE height IS NOT NULL ORDER BY number`;

export function inputStateOf(row: Row): InputState {
  return {
    source: String(row.source),
    name: String(row.name),
    position: {
      height: Number(row.height),
      hash: row.hash === null ? null : String(row.hash),
      time: Number(row.time),
    },
    verdict: row.verdict === null ? undefined : String(row.verdict),
    events: Number(row.events),
    leftOut: Number(row.left_out),
  };
}

/** How much was added to the source that all imports form. */
interface AddedEvidence {
  readonly source: typeof IMPORT;
  readonly events: number;
  /** Seconds since 1970. */
  readonly newest: number;
}

export function addedEvidence(events: readonly ImportedEvent[]): AddedEvidence {
  const newest = events.reduce((most, { timestamp }) => Math.max(most, timestamp), 0);
  return { source: IMPORT, events: events.length, newest };
}

/** The stored form of a chain event's place: sorting the texts sorts events across all heights. */
export function keptPlace(height: number, place: string): string {
  return `${sortable(height)}.${place}`;
}

/** The place within its height, from the stored form. */
function shownPlace(source: string, kept: string): string {
  return source === IMPORT ? kept : kept.slice(kept.indexOf('.') + 1);
}

/**
 * Rows as arrays in the order of the columns: for millions of them, objects would take longer than the query.
 */
type Rows = readonly (readonly unknown[])[];

/** SQL: an event's columns. Wallets and inputs are read once and referred to by number. */
export const EVENT_COLUMNS = 'wallet, input, height, place, time, args';
/** SQL: the inputs behind the numbers. */
export const INPUTS_SQL = 'SELECT number, source, name FROM evidence_input';
/** SQL: a wallet's columns. */
export const WALLET_COLUMNS = 'id, chain, address';

/**
 * Events, wallet by wallet.
 * @param events with the EVENT_COLUMNS, those of a wallet together
 * @param wallets all of their wallets, with the WALLET_COLUMNS
 */
export function walletEventsOf(events: Rows, wallets: Rows, inputs: Rows): WalletEvents[] {
  const named = new Map(wallets.map(([id, chain, address]) => [Number(id), { chain, address }]));
  const known = new Map(
    inputs.map(([number, source, name]) => [
      Number(number),
      { source: String(source), input: String(name) },
    ]),
  );
  const all: WalletEvents[] = [];
  let number: number | undefined;
  let own: StoredEvent[] = [];
  for (const [wallet, input, height, place, time, args] of events) {
    if (wallet !== number) {
      number = wallet as number;
      own = [];
      const { chain, address } = named.get(number) ?? missing('wallet', number);
      all.push({ number, wallet: walletOf({ chain, address }), events: own });
    }
    const what = known.get(input as number) ?? missing('input', input);
    own.push({
      source: what.source,
      input: what.input,
      // Postgres returns them as text.
      height: Number(height),
      place: shownPlace(what.source, place as string),
      time: Number(time),
      args: args as string,
    });
  }
  return all;
}

export function walletOf({ chain, address }: Readonly<Record<string, unknown>>): Wallet {
  return { chain: CHAINS[Number(chain)] as Chain, address: String(address) };
}

function missing(what: string, number: unknown): never {
  throw new Error(`evidence names ${what} ${number}, which is not there`);
}

/**
 * SQL: notes that wallets ($1, numbers) have new evidence, for score versions that are updated
 * incrementally; a new one starts from all evidence. Numbers of deleted arrivals aren't reused.
 */
export function noteArrivalsSql({ elements }: Pick<Dialect, 'elements'>): string {
  return `
    INSERT INTO evidence_arrival (number, wallet)
    SELECT newest.number + row_number() OVER (ORDER BY given.wallet), given.wallet
    FROM (SELECT DISTINCT CAST(value AS integer) AS wallet FROM ${elements('$1')} AS listed) AS given
    CROSS JOIN (
      SELECT coalesce(max(number), 0) AS number FROM (
        SELECT max(number) AS number FROM evidence_arrival
        UNION ALL SELECT max(arrived) FROM edition
      ) AS known
    ) AS newest
    WHERE EXISTS (SELECT 1 FROM edition WHERE state IN ('building', 'live'))`;
}

/** To be called by who alone may write. */
export function* noteArrivals(dialect: Dialect, wallets: readonly number[]): SqlScript<void> {
  if (wallets.length > 0) yield* run(noteArrivalsSql(dialect), [wallets]);
}

const WALLET = insertInto('wallet', ['id', 'address', 'chain']);
const INPUT = insertInto('evidence_input', ['number', 'source', 'name', 'height', 'hash', 'time']);
const EVENT = insertInto(
  'evidence',
  ['wallet', 'input', 'place', 'height', 'time', 'args', 'transaction_id'],
  'skips',
);

const BALANCES_SQL = `
  SELECT evidence.wallet, wallet.address, wallet.chain, evidence.time, evidence.args
  FROM evidence JOIN wallet ON wallet.id = evidence.wallet
  WHERE evidence.wallet > $1 AND evidence.wallet <= $2 AND evidence.input =
    (SELECT number FROM evidence_input WHERE source = $3 AND name = $4)
  ORDER BY evidence.wallet, evidence.place`;

const FORGET_REFUSALS_SQL = `
  UPDATE evidence_input SET verdict = NULL
  WHERE verdict IS NOT NULL AND verdict <> '${MATCHES_CHAIN}' AND source = $1 RETURNING name`;

const INPUTS_OF_SQL = `SELECT ${INPUT_COLUMNS} FROM evidence_input WHERE source = $1`;

/** Wallets whose evidence is looked through by one statement. */
const WALLETS_AT_ONCE = 20_000;

/** Evidence of chains. */
export function createEvidenceStore(sql: SqlRunner): EvidenceStore {
  const { dialect } = sql;
  return {
    inputs: () => sql.query(readInputs),
    leftOut: () =>
      sql.query(function* () {
        const all = yield* rows(
          'SELECT source, left_out FROM evidence_source WHERE chain IS NOT NULL',
        );
        return new Map(all.map((row) => [String(row.source), Number(row.left_out)]));
      }),
    begin: ({ id, chain }, inputs) =>
      transactAlone(sql, function* () {
        const source = yield* firstRow('SELECT chain FROM evidence_source WHERE source = $1', [id]);
        requireSameChain(id, chain, source?.chain);
        yield* run(
          `INSERT INTO evidence_source (source, events, newest, chain) VALUES ($1, 0, 0, $2)
           ON CONFLICT (source) DO NOTHING`,
          [id, chain],
        );
        const known = new Set((yield* rows(INPUTS_OF_SQL, [id])).map(({ name }) => String(name)));
        const last = yield* lastNumber('evidence_input', 'number');
        const missing = inputs.filter(({ name }) => !known.has(name));
        yield* dialect.insert(
          INPUT,
          missing.map(({ name, position: { height, hash, time } }, i) => {
            return [last + i + 1, id, name, height, hash, time];
          }),
        );
      }),
    append: (stretch) => transactAlone(sql, () => append(dialect, stretch)),
    setVerdict: (source, input, verdict) =>
      transactAlone(sql, function* () {
        const row = yield* firstRow(
          'UPDATE evidence_input SET verdict = $1 WHERE source = $2 AND name = $3 RETURNING number',
          [verdict, source, input],
        );
        if (row === undefined) return;
        const highest = yield* lastNumber('wallet', 'id');
        // Evidence is indexed by wallet. In parts, as no statement may take as long as all of it.
        for (let from = 0; from < highest; from += WALLETS_AT_ONCE) {
          const found = yield* rows(
            'SELECT DISTINCT wallet FROM evidence WHERE wallet > $1 AND wallet <= $2 AND input = $3',
            [from, from + WALLETS_AT_ONCE, row.number],
          );
          yield* noteArrivals(
            dialect,
            found.map(({ wallet }) => Number(wallet)),
          );
        }
      }),
    forgetRefusals: (source) =>
      transactAlone(sql, function* () {
        const forgotten = yield* rows(FORGET_REFUSALS_SQL, [source]);
        return forgotten.map(({ name }) => String(name));
      }),
    balances: (source, input, from, to) =>
      sql.query(function* () {
        return walletBalancesOf(yield* rows(BALANCES_SQL, [from, to, source, input]));
      }),
  };
}

function* readInputs() {
  return (yield* rows(INPUT_STATES_SQL)).map(inputStateOf);
}

/** The highest number in a table; 0 if it's empty. */
function* lastNumber(table: string, column: string): SqlScript<number> {
  return Number((yield* firstRow(`SELECT max(${column}) AS last FROM ${table}`))?.last ?? 0);
}

function* append(dialect: Dialect, stretch: EvidenceStretch): SqlScript<boolean> {
  const { source, to } = stretch;
  const inputs = inputsAt(stretch, yield* rows(INPUTS_OF_SQL, [source]));
  if (inputs === undefined) return false;
  if (stretch.events.length > 0) yield* addEvents(dialect, stretch, inputs);
  const leftOut = stretch.leftOut?.reduce((sum, count) => sum + count, 0) ?? 0;
  if (leftOut > 0) {
    yield* run('UPDATE evidence_source SET left_out = left_out + $1 WHERE source = $2', [
      leftOut,
      source,
    ]);
  }
  yield* run(
    `UPDATE evidence_input SET height = $1, hash = $2, time = $3 WHERE ${dialect.isIn('number', '$4')}`,
    [to.height, to.hash, to.time, inputs],
  );
  const counts = inputs.map((_, place) => ({ events: 0, leftOut: stretch.leftOut?.[place] ?? 0 }));
  for (const { input } of stretch.events) (counts[input] as { events: number }).events += 1;
  for (const [place, { events, leftOut }] of counts.entries()) {
    if (events + leftOut === 0) continue;
    yield* run(
      'UPDATE evidence_input SET events = events + $1, left_out = left_out + $2 WHERE number = $3',
      [events, leftOut, inputs[place]],
    );
  }
  return true;
}

/** @param inputs numbers of the stretch's inputs, in their order */
function* addEvents(
  dialect: Dialect,
  { source, events }: EvidenceStretch,
  inputs: readonly number[],
): SqlScript<void> {
  const wallets = yield* walletNumbers(dialect, events);
  const added = events.map(({ wallet, input, height, place, time, args, transaction }) => {
    const number = wallets.get(wallet.address) as number;
    return [number, inputs[input], keptPlace(height, place), height, time, args, transaction];
  });
  // In the order on disk, so that each page is needed once.
  added.sort((one, other) => Number(one[0]) - Number(other[0]));
  const newest = events.reduce((most, { time }) => Math.max(most, time), 0);
  yield* run(
    `UPDATE evidence_source
     SET events = events + $1, newest = CASE WHEN newest < $2 THEN $2 ELSE newest END
     WHERE source = $3`,
    [yield* dialect.insert(EVENT, added), newest, source],
  );
  yield* noteArrivals(dialect, [...wallets.values()]);
}

/** The numbers of the events' wallets by address, of which unknown ones are added. */
function* walletNumbers(
  dialect: Dialect,
  events: EvidenceStretch['events'],
): SqlScript<ReadonlyMap<string, number>> {
  const chains = new Map(events.map(({ wallet }) => [wallet.address, wallet.chain]));
  const known = yield* rows(
    `SELECT id, address FROM wallet WHERE ${dialect.isIn('address', '$1')}`,
    [[...chains.keys()]],
  );
  const numbers = new Map(known.map(({ id, address }) => [String(address), Number(id)]));
  if (numbers.size === chains.size) return numbers;
  let last = yield* lastNumber('wallet', 'id');
  const added: unknown[][] = [];
  for (const [address, chain] of chains) {
    if (numbers.has(address)) continue;
    numbers.set(address, ++last);
    added.push([last, address, CHAINS.indexOf(chain)]);
  }
  yield* dialect.insert(WALLET, added);
  // Makes processes that cache wallet numbers look them up again.
  yield* addBatch(dialect);
  return numbers;
}

/**
 * The numbers of a range's inputs.
 * @param known those of its source
 * @returns undefined if one of them isn't at the start of the range
 */
function inputsAt({ inputs, from }: EvidenceStretch, known: readonly Row[]): number[] | undefined {
  const byName = new Map(known.map((row) => [String(row.name), row]));
  const numbers: number[] = [];
  for (const name of inputs) {
    const row = byName.get(name);
    if (row === undefined || !isAt(inputStateOf(row).position, from)) return undefined;
    numbers.push(Number(row.number));
  }
  return numbers;
}

function isAt(one: SourcePosition, other: SourcePosition): boolean {
  return one.height === other.height && one.hash === other.hash;
}

/** @throws UserError `wrong-configuration` for a source whose evidence is of another chain */
function requireSameChain(id: string, chain: string, known: unknown): void {
  if (known === undefined || known === null || known === chain) return;
  throw new UserError(
    'wrong-configuration',
    `The source "${id}" was read from ${String(known)} before, and its events are kept under that name. Give the source of ${chain} another name.`,
  );
}

/** @param events balance events, grouped by wallet and in canonical order */
function walletBalancesOf(events: readonly Row[]): WalletBalance[] {
  const all: { wallet: WalletBalance['wallet']; changes: { time: number; amount: bigint }[] }[] =
    [];
  let last: unknown;
  for (const row of events) {
    if (row.wallet !== last) all.push({ wallet: walletOf(row), changes: [] });
    last = row.wallet;
    const { amount } = JSON.parse(String(row.args)) as { amount: string };
    all.at(-1)?.changes.push({ time: Number(row.time), amount: BigInt(amount) });
  }
  return all;
}
