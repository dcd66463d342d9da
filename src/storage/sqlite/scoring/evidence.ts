import type { DatabaseSync } from 'node:sqlite';
import type { EvidenceStore, SourceEvent } from '#scoring';
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
import { transaction } from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/file/errors';
import { addBatch } from '#storage/sqlite/ledger/batch';
import { createArrivals } from '#storage/sqlite/ledger/events';
import { CHAINS } from '#wallet';

/** Wallets whose numbers are remembered, some 150 bytes each. */
const NUMBERS_KEPT = 50_000;

/** Chain evidence in an SQLite file. */
export function createEvidenceStore(db: DatabaseSync, file: string): EvidenceStore {
  const sql = prepare(db);
  const arrivals = createArrivals(db);
  /** Numbers of wallets, which stay what they are. */
  const numbers = new Map<string, number>();
  const read = <T>(work: () => T): T => translatingErrors(file, work);
  const write = <T>(work: () => T): T => translatingErrors(file, () => transaction(db, work));

  /** The number of each event's wallet. @param added remembers those that weren't known */
  function numbersOf(events: readonly SourceEvent[], added: Map<string, number>): number[] {
    let isNew = false;
    const all = events.map(({ wallet: { chain, address } }) => {
      const known = numbers.get(address) ?? added.get(address);
      if (known !== undefined) return known;
      let number = sql.wallet.get(address)?.id;
      if (number === undefined) {
        number = sql.addWallet.run(address, CHAINS.indexOf(chain)).lastInsertRowid;
        isNew = true;
      }
      added.set(address, Number(number));
      return Number(number);
    });
    // Makes processes that cache wallet numbers look them up again.
    if (isNew) addBatch(db);
    return all;
  }

  function add(
    source: string,
    inputs: readonly number[],
    events: readonly SourceEvent[],
    found: Map<string, number>,
  ): void {
    if (events.length === 0) return;
    const wallets = numbersOf(events, found);
    let added = 0;
    let newest = 0;
    // In the order on disk, so that each page is needed once.
    const byWallet = [...events.keys()].sort((a, b) => (wallets[a] ?? 0) - (wallets[b] ?? 0));
    for (const index of byWallet) {
      const event = events[index] as SourceEvent;
      const { height, time, args, transaction: id } = event;
      const place = keptPlace(height, event.place);
      const input = inputs[event.input] as number;
      const { changes } = sql.add.run(
        ...[wallets[index] as number, input, place, height, time, args, id],
      );
      added += Number(changes);
      newest = Math.max(newest, time);
    }
    sql.count.run(added, newest, source);
    arrivals.note(wallets);
  }

  return {
    inputs: () => read(() => sql.inputs.all().map(inputStateOf)),
    leftOut: () => read(() => leftOutBySource(sql.leftOut.all())),
    begin: ({ id, chain }, inputs) =>
      write(() => {
        requireSameChain(id, chain, sql.source.get(id)?.chain);
        sql.addSource.run(id, chain);
        for (const { name, position } of inputs) {
          sql.addInput.run(id, name, position.height, position.hash, position.time);
        }
      }),
    append(stretch) {
      const found = new Map<string, number>();
      const isIn = write(() => {
        const { source, to } = stretch;
        const inputs = inputsAt(stretch, sql.inputsOf.all(source));
        if (inputs === undefined) return false;
        add(source, inputs, stretch.events, found);
        const counts = countsOf(stretch);
        const leftOut = leftOutIn(counts);
        if (leftOut > 0) sql.leaveOut.run(leftOut, source);
        for (const [place, number] of inputs.entries()) {
          const { events = 0, leftOut = 0 } = counts[place] ?? {};
          sql.move.run(to.height, to.hash, to.time, events, leftOut, number);
        }
        return true;
      });
      // Only now: what was rolled back has no number.
      if (numbers.size + found.size > NUMBERS_KEPT) numbers.clear();
      for (const [address, number] of found) numbers.set(address, number);
      return isIn;
    },
    judge: (source, input, verdict) =>
      write(() => {
        const row = sql.judge.get(verdict, source, input);
        if (row !== undefined) arrivals.noteInput(Number(row.number));
      }),
    forgetRefusals: (source) =>
      write(() => sql.forgetRefusals.all(source).map(({ name }) => String(name))),
    balances: (source, input, from, to) =>
      read(() => walletBalancesOf(sql.balances.all(from, to, source, input))),
  };
}

function prepare(db: DatabaseSync) {
  return {
    wallet: db.prepare('SELECT id FROM wallet WHERE address = ?'),
    addWallet: db.prepare('INSERT INTO wallet (address, chain) VALUES (?, ?)'),
    inputs: db.prepare(
      `SELECT ${INPUT_COLUMNS} FROM evidence_input WHERE height IS NOT NULL ORDER BY number`,
    ),
    leftOut: db.prepare(LEFT_OUT_ROWS_SQL),
    leaveOut: db.prepare('UPDATE evidence_source SET left_out = left_out + ? WHERE source = ?'),
    inputsOf: db.prepare(`SELECT ${INPUT_COLUMNS} FROM evidence_input WHERE source = ?`),
    source: db.prepare('SELECT chain FROM evidence_source WHERE source = ?'),
    addSource: db.prepare(
      `INSERT INTO evidence_source (source, events, newest, chain) VALUES (?, 0, 0, ?)
       ON CONFLICT (source) DO NOTHING`,
    ),
    addInput: db.prepare(
      `INSERT INTO evidence_input (source, name, height, hash, time) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (source, name) DO NOTHING`,
    ),
    add: db.prepare(
      `INSERT INTO evidence (wallet, input, place, height, time, args, transaction_id)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (wallet, input, place) DO NOTHING`,
    ),
    count: db.prepare(
      'UPDATE evidence_source SET events = events + ?, newest = max(newest, ?) WHERE source = ?',
    ),
    move: db.prepare(
      `UPDATE evidence_input
       SET height = ?, hash = ?, time = ?, events = events + ?, left_out = left_out + ?
       WHERE number = ?`,
    ),
    judge: db.prepare(
      `UPDATE evidence_input SET verdict = ? WHERE source = ? AND name = ? RETURNING number`,
    ),
    forgetRefusals: db.prepare(`${FORGET_REFUSALS_SQL} AND source = ? RETURNING name`),
    balances: db.prepare(
      `SELECT evidence.wallet, wallet.address, wallet.chain, evidence.time, evidence.args
       FROM evidence JOIN wallet ON wallet.id = evidence.wallet
       WHERE evidence.wallet > ? AND evidence.wallet <= ? AND evidence.input =
         (SELECT number FROM evidence_input WHERE source = ? AND name = ?)
       ORDER BY evidence.wallet, evidence.place`,
    ),
  };
}
