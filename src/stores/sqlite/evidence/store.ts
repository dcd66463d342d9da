import type { DatabaseSync } from 'node:sqlite';
import { CHAINS } from '#core/chain';
import type { EvidenceStore, SourceEvent } from '#core/scoring/reading/store';
import { keptPlace } from '#stores/evidence-places';
import {
  INPUT_COLUMNS,
  inputStateOf,
  inputsAt,
  requireSameChain,
  walletBalancesOf,
} from '#stores/evidence-rows';
import { addBatch } from '#stores/sqlite/batch';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';
import { createArrivals } from './arrivals.ts';

/** Chain evidence in an SQLite file. */
export function createEvidenceStore(db: DatabaseSync, file: string): EvidenceStore {
  const sql = prepare(db);
  const arrivals = createArrivals(db);
  const read = <T>(work: () => T): T => translatingErrors(file, work);
  const write = <T>(work: () => T): T => translatingErrors(file, () => transaction(db, work));

  /** The number of each event's wallet. */
  function numbersOf(events: readonly SourceEvent[]): number[] {
    const numbers = new Map<string, number>();
    let isAdded = false;
    const all = events.map(({ wallet: { chain, address } }) => {
      let number = numbers.get(address) ?? sql.wallet.get(address)?.id;
      if (number === undefined) {
        number = sql.addWallet.run(address, CHAINS.indexOf(chain)).lastInsertRowid;
        isAdded = true;
      }
      numbers.set(address, Number(number));
      return Number(number);
    });
    // Makes processes that cache wallet numbers look them up again.
    if (isAdded) addBatch(db);
    return all;
  }

  function add(source: string, inputs: readonly number[], events: readonly SourceEvent[]): void {
    if (events.length === 0) return;
    const wallets = numbersOf(events);
    let added = 0;
    let newest = 0;
    for (const [index, event] of events.entries()) {
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
    begin: ({ id, chain }, inputs) =>
      write(() => {
        requireSameChain(id, chain, sql.source.get(id)?.chain);
        sql.addSource.run(id, chain);
        for (const { name, position } of inputs) {
          sql.addInput.run(id, name, position.height, position.hash, position.time);
        }
      }),
    append: (stretch) =>
      write(() => {
        const { source, to } = stretch;
        const numbers = inputsAt(stretch, sql.inputsOf.all(source));
        if (numbers === undefined) return false;
        add(source, numbers, stretch.events);
        for (const number of numbers) sql.move.run(to.height, to.hash, to.time, number);
        return true;
      }),
    judge: (source, input, verdict) =>
      write(() => {
        const row = sql.judge.get(verdict, source, input);
        if (row !== undefined) arrivals.noteInput(Number(row.number));
      }),
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
    move: db.prepare('UPDATE evidence_input SET height = ?, hash = ?, time = ? WHERE number = ?'),
    judge: db.prepare(
      `UPDATE evidence_input SET verdict = ? WHERE source = ? AND name = ? RETURNING number`,
    ),
    balances: db.prepare(
      `SELECT evidence.wallet, wallet.address, wallet.chain, evidence.time, evidence.args
       FROM evidence JOIN wallet ON wallet.id = evidence.wallet
       WHERE evidence.wallet > ? AND evidence.wallet <= ? AND evidence.input =
         (SELECT number FROM evidence_input WHERE source = ? AND name = ?)
       ORDER BY evidence.wallet, evidence.place`,
    ),
  };
}
