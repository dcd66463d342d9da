import type { DatabaseSync } from 'node:sqlite';
import type { EvidenceStore, ScoringStore, WalletSelection } from '#scoring';
import { isEditionAt, isFollowed } from '#storage/scoring/rows';
import { ARRIVED_SQL, arrivedOf, IMPORTED_SQL, importedOf } from '#storage/scoring/settled';
import { STANDING_SQL, type StandingRows, standingsOf } from '#storage/scoring/standings-of';
import {
  EVENT_COLUMNS,
  INPUTS_SQL,
  WALLET_COLUMNS,
  walletEventsOf,
} from '#storage/scoring/wallet-events';
import { rowsOf } from '#storage/sqlite/arrays';
import { transaction } from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/errors';
import { openEvidenceSnapshot } from '#storage/sqlite/evidence/snapshot';
import { createEditions } from './editions.ts';
import { createScores } from './scores.ts';

/** Evidence and editions in a SQLite file. */
export function createScoringStore(
  db: DatabaseSync,
  file: string,
  { inputs }: EvidenceStore,
): ScoringStore {
  const editions = createEditions(db);
  const scores = createScores(db);
  const sql = prepare(db);
  const standing = Object.entries(STANDING_SQL).map(
    ([name, text]) => [name, db.prepare(text.replace(/\$(\d)/g, '?$1'))] as const,
  );
  const read = <T>(work: () => T): T => translatingErrors(file, work);
  const write = <T>(work: () => T): T => translatingErrors(file, () => transaction(db, work));

  function evidenceOf(selection: WalletSelection) {
    const inputs = rowsOf(sql.inputs);
    if ('numbers' in selection) {
      const asked = JSON.stringify(selection.numbers);
      const wallets = rowsOf(sql.walletsOfNumbers, asked);
      return walletEventsOf(rowsOf(sql.ofNumbers, asked), wallets, inputs);
    }
    const { from, to } = selection;
    const wallets = rowsOf(sql.walletsOfRange, from, to);
    return walletEventsOf(rowsOf(sql.ofRange, from, to), wallets, inputs);
  }

  return {
    inputs,
    live: () => read(editions.live),
    edition: (number) => read(() => editions.edition(number)),
    rules: (number) => read(() => editions.rules(number)),
    rulesText: (number) => read(() => editions.rulesText(number)),
    editions: () => read(editions.editions),
    openSnapshot: () => openEvidenceSnapshot(db, file),
    begin: (rules) => write(() => editions.begin(rules)),
    reword: (number, wording) => write(() => editions.reword(number, wording)),
    discard: (number) => write(() => editions.discard(number)),
    removeLeftovers: () => write(editions.removeLeftovers),
    highestWallet: () => read(() => Number(sql.highest.get()?.wallet ?? 0)),
    evidence: (selection) => read(() => evidenceOf(selection)),
    standings: (from, to) =>
      read(() => {
        const rows = standing.map(([name, each]) => [name, rowsOf(each, from, to)]);
        return standingsOf(Object.fromEntries(rows) as StandingRows);
      }),
    highestNumber: () => read(() => Number(sql.highestNumber.get()?.id ?? 0)),
    arrivals: (after, limit) =>
      read(() => {
        const arrived = arrivedOf(after, sql.arrived.all({ $1: after, $2: limit }));
        const { upTo } = arrived;
        const wallets = upTo === after ? [] : rowsOf<[number]>(sql.arrivals, after, upTo);
        return { ...arrived, wallets: wallets.map(([wallet]) => wallet) };
      }),
    imported: () => read(() => importedOf(sql.imported.get())),
    dueWallets: (edition, asOf, limit, after) =>
      read(() =>
        sql.due
          .all(edition, asOf, after?.due ?? -1, after?.number ?? 0, limit)
          .map((row) => ({ number: Number(row.wallet), due: Number(row.due) })),
      ),
    write: (number, all, { from, to, settles }) =>
      write(() => {
        const edition = editions.edition(number);
        if (edition === undefined || !isFollowed(edition)) return false;
        if (!isEditionAt(edition, from)) return false;
        scores.write(number, all, edition.state === 'live');
        if (from !== to) editions.move(number, to);
        if (settles !== undefined) editions.settle(number, to, settles.imported);
        if (to.arrived > from.arrived) sql.forget.run();
        return true;
      }),
    switchTo: (number, expected, badges) =>
      write(() => editions.switchTo(number, expected, badges)),
  };
}

function prepare(db: DatabaseSync) {
  return {
    highest: db.prepare('SELECT max(wallet) AS wallet FROM evidence'),
    highestNumber: db.prepare('SELECT max(id) AS id FROM wallet'),
    // In the order of the table, so nothing is sorted.
    ofRange: db.prepare(
      `SELECT ${EVENT_COLUMNS} FROM evidence WHERE wallet > ? AND wallet <= ? ORDER BY wallet, input`,
    ),
    ofNumbers: db.prepare(
      `SELECT ${EVENT_COLUMNS} FROM evidence
       WHERE wallet IN (SELECT value FROM json_each(?)) ORDER BY wallet, input`,
    ),
    inputs: db.prepare(INPUTS_SQL),
    walletsOfRange: db.prepare(`SELECT ${WALLET_COLUMNS} FROM wallet WHERE id > ? AND id <= ?`),
    walletsOfNumbers: db.prepare(
      `SELECT ${WALLET_COLUMNS} FROM wallet WHERE id IN (SELECT value FROM json_each(?))`,
    ),
    arrived: db.prepare(ARRIVED_SQL),
    imported: db.prepare(IMPORTED_SQL),
    arrivals: db.prepare(
      `SELECT DISTINCT wallet FROM evidence_arrival
       WHERE number > ? AND number <= ? ORDER BY wallet`,
    ),
    due: db.prepare(
      `SELECT wallet, due FROM scored_wallet
       WHERE edition = ? AND due <= ? AND (due, wallet) > (?, ?) ORDER BY due, wallet LIMIT ?`,
    ),
    // What every edition has that is still brought up to date.
    forget: db.prepare(
      `DELETE FROM evidence_arrival
       WHERE number <= (SELECT min(arrived) FROM edition WHERE state IN ('building', 'live'))`,
    ),
  };
}
