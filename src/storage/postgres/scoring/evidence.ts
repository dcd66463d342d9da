import type { EvidenceStore, SourceEvent } from '#scoring';
import { chunksOf, type Database, type Queries, unnestColumns } from '#storage/postgres/database';
import { addBatch } from '#storage/postgres/ledger/batch';
import { NOTE_ARRIVALS_SQL } from '#storage/postgres/ledger/events';
import { LOCK_SQL } from '#storage/postgres/ledger/write-lock';
import {
  countsOf,
  FORGET_REFUSALS_SQL,
  INPUT_COLUMNS,
  inputStateOf,
  inputsAt,
  keptPlace,
  LEFT_OUT_ROWS_SQL,
  leftOutBySource,
  leftOutIn,
  requireSameChain,
  walletBalancesOf,
} from '#storage/scoring/evidence';
import { CHAINS } from '#wallet';

const ADD_WALLETS_SQL = `
  INSERT INTO wallet (id, address, chain)
  SELECT (SELECT coalesce(max(id), 0) FROM wallet) + row_number() OVER (ORDER BY given.n),
         given.address, given.chain
  FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS given (address, chain, n)
  WHERE NOT EXISTS (SELECT FROM wallet WHERE wallet.address = given.address)`;

const ADD_SQL = `
  INSERT INTO evidence (wallet, input, place, height, time, args, transaction_id)
  SELECT wallet.id, given.input, given.place, given.height, given.time, given.args, given.tx
  FROM unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
    AS given (address, input, place, height, time, args, tx)
  JOIN wallet ON wallet.address = given.address
  ON CONFLICT (wallet, input, place) DO NOTHING`;

const ADD_INPUTS_SQL = `
  INSERT INTO evidence_input (number, source, name, height, hash, time)
  SELECT (SELECT coalesce(max(number), 0) FROM evidence_input) + row_number() OVER (ORDER BY given.n),
         $1, given.name, given.height, given.hash, given.time
  FROM unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[])
    WITH ORDINALITY AS given (name, height, hash, time, n)
  WHERE NOT EXISTS (
    SELECT FROM evidence_input AS known WHERE known.source = $1 AND known.name = given.name
  )`;

const BALANCES_SQL = `
  SELECT evidence.wallet, wallet.address, wallet.chain, evidence.time, evidence.args
  FROM evidence JOIN wallet ON wallet.id = evidence.wallet
  WHERE evidence.wallet > $1 AND evidence.wallet <= $2 AND evidence.input =
    (SELECT number FROM evidence_input WHERE source = $3 AND name = $4)
  ORDER BY evidence.wallet, evidence.place`;

const MOVE_SQL = `
  UPDATE evidence_input SET height = $2, hash = $3, time = $4,
    events = evidence_input.events + given.events, left_out = evidence_input.left_out + given.left_out
  FROM unnest($1::integer[], $5::bigint[], $6::bigint[]) AS given (number, events, left_out)
  WHERE evidence_input.number = given.number`;

/** Wallets whose evidence is looked through by one statement. */
const WALLETS_AT_ONCE = 20_000;

const WALLETS_OF_INPUT_SQL = `
  SELECT DISTINCT wallet FROM evidence WHERE wallet > $1 AND wallet <= $2 AND input = $3`;

/** Chain evidence in Postgres. */
export function createEvidenceStore(db: Database): EvidenceStore {
  const alone = <T>(work: (queries: Queries) => Promise<T>): Promise<T> =>
    db.transaction(async (queries) => {
      await queries.run(LOCK_SQL);
      return work(queries);
    });

  return {
    async inputs() {
      const sql = `SELECT ${INPUT_COLUMNS} FROM evidence_input WHERE height IS NOT NULL ORDER BY number`;
      return (await db.rows(sql)).map(inputStateOf);
    },
    leftOut: async () => leftOutBySource(await db.rows(LEFT_OUT_ROWS_SQL)),
    begin: ({ id, chain }, inputs) =>
      alone(async ({ rows, run }) => {
        const [known] = await rows('SELECT chain FROM evidence_source WHERE source = $1', [id]);
        requireSameChain(id, chain, known?.chain);
        await run(
          `INSERT INTO evidence_source (source, events, newest, chain) VALUES ($1, 0, 0, $2)
           ON CONFLICT (source) DO NOTHING`,
          [id, chain],
        );
        const columns = unnestColumns(
          inputs,
          ({ name }) => name,
          ({ position }) => position.height,
          ({ position }) => position.hash,
          ({ position }) => position.time,
        );
        await run(ADD_INPUTS_SQL, [id, ...columns]);
      }),
    append: (stretch) =>
      alone(async (queries) => {
        const { source, to, events } = stretch;
        const rows = await queries.rows(
          `SELECT ${INPUT_COLUMNS} FROM evidence_input WHERE source = $1`,
          [source],
        );
        const numbers = inputsAt(stretch, rows);
        if (numbers === undefined) return false;
        if (events.length > 0) await addEvents(queries, source, numbers, events);
        const counts = countsOf(stretch);
        const leftOut = leftOutIn(counts);
        if (leftOut > 0) {
          await queries.run(
            'UPDATE evidence_source SET left_out = left_out + $2 WHERE source = $1',
            [source, leftOut],
          );
        }
        await queries.run(MOVE_SQL, [
          ...[numbers, to.height, to.hash, to.time],
          ...[counts.map(({ events: added }) => added), counts.map(({ leftOut: out }) => out)],
        ]);
        return true;
      }),
    judge: (source, input, verdict) =>
      alone(async ({ rows, run }) => {
        const [row] = await rows(
          'UPDATE evidence_input SET verdict = $1 WHERE source = $2 AND name = $3 RETURNING number',
          [verdict, source, input],
        );
        if (row === undefined) return;
        const [{ highest = 0 } = {}] = await rows('SELECT max(id) AS highest FROM wallet');
        // Evidence is indexed by wallet. In parts, as no statement may take as long as all of it.
        for (let from = 0; from < Number(highest); from += WALLETS_AT_ONCE) {
          const part = [from, from + WALLETS_AT_ONCE, row.number];
          const found = await rows(WALLETS_OF_INPUT_SQL, part);
          await run(NOTE_ARRIVALS_SQL, [found.map(({ wallet }) => wallet)]);
        }
      }),
    forgetRefusals: (source) =>
      alone(async ({ rows }) => {
        const forgotten = await rows(`${FORGET_REFUSALS_SQL} AND source = $1 RETURNING name`, [
          source,
        ]);
        return forgotten.map(({ name }) => String(name));
      }),
    async balances(source, input, from, to) {
      return walletBalancesOf(await db.rows(BALANCES_SQL, [from, to, source, input]));
    },
  };
}

async function addEvents(
  queries: Queries,
  source: string,
  inputs: readonly number[],
  events: readonly SourceEvent[],
): Promise<void> {
  const { rows, run } = queries;
  const chains = new Map(events.map(({ wallet }) => [wallet.address, wallet.chain]));
  const places = [...chains.values()].map((chain) => CHAINS.indexOf(chain));
  // Makes processes that cache wallet numbers look them up again.
  const isAdded = (await run(ADD_WALLETS_SQL, [[...chains.keys()], places])) > 0;
  if (isAdded) await addBatch(queries);
  let added = 0;
  for (const chunk of chunksOf(events)) {
    const columns = unnestColumns(
      chunk,
      ({ wallet }) => wallet.address,
      ({ input }) => inputs[input],
      ({ height, place }) => keptPlace(height, place),
      ({ height }) => height,
      ({ time }) => time,
      ({ args }) => args,
      ({ transaction }) => transaction,
    );
    added += await run(ADD_SQL, columns);
  }
  const newest = events.reduce((most, { time }) => Math.max(most, time), 0);
  await run(
    'UPDATE evidence_source SET events = events + $2, newest = greatest(newest, $3) WHERE source = $1',
    [source, added, newest],
  );
  const wallets = await rows('SELECT id FROM wallet WHERE address = ANY ($1::text[])', [
    [...chains.keys()],
  ]);
  await run(NOTE_ARRIVALS_SQL, [wallets.map(({ id }) => id)]);
}
