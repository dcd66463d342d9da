import { DatabaseSync } from 'node:sqlite';
import { wallSeconds } from '#base';
import { beat } from '#cluster';
import type { BadgeDefinition } from '#reputation';
import type {
  Edition,
  EditionProgress,
  EvidenceStore,
  ImportedEvidence,
  NewEdition,
  ScoringStore,
  WalletSelection,
  Wording,
} from '#scoring';
import type { EvidenceSnapshot } from '#scoring/proof';
import {
  badgesByWallet,
  SWITCH_SQL,
  SwitchPacker,
  switchedWallets,
} from '#storage/changes/commit-changes';
import type { ChangePart } from '#storage/changes/packed-changes';
import {
  ADD_RULES_SQL,
  ARRIVED_SQL,
  arrivedOf,
  EDITION_COLUMNS,
  EDITION_RULES_SQL,
  editionOf,
  IMPORTED_SQL,
  importedOf,
  isEditionAt,
  isFollowed,
  NOTE_IMPORTED_SQL,
  REMOVE_RULES_SQL,
  REWORD_SQL,
  RULES_TEXT_SQL,
  rulesOf,
  settledText,
} from '#storage/scoring/editions';
import {
  EVENT_COLUMNS,
  INPUTS_SQL,
  WALLET_COLUMNS,
  walletEventsOf,
} from '#storage/scoring/evidence';
import { readEvidenceSnapshot } from '#storage/scoring/evidence-snapshot';
import { STANDING_SQL, type StandingRows, standingsOf } from '#storage/scoring/standings-of';
import {
  BUSY_TIMEOUT_MS,
  MEMORY,
  preparing,
  READER_SETTINGS,
  rowsOf,
  transaction,
} from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/file/errors';
import { addBatch } from '#storage/sqlite/ledger/batch';
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

/**
 * Reads a file as of one moment, on a connection of its own. A database in memory has no second
 * connection, and no other writer.
 */
function openEvidenceSnapshot(main: DatabaseSync, file: string): Promise<EvidenceSnapshot> {
  const isOwn = file !== MEMORY;
  const db = isOwn ? translatingErrors(file, () => openReader(file)) : main;
  const prepare = preparing(db);
  return readEvidenceSnapshot({
    rows: async (sql, values = []) => translatingErrors(file, () => prepare(sql).all(...values)),
    arrays: async (sql, values = []) =>
      translatingErrors(file, () => rowsOf(prepare(sql, 'arrays'), ...values)),
    async close() {
      if (isOwn && db.isOpen) db.close();
    },
  });
}

function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec(`${READER_SETTINGS}; BEGIN`);
  return db;
}

/** Tables that hold what an edition made. */
const OWN = ['scored', 'scored_rule', 'scored_day', 'scored_badge', 'scored_wallet'];
/** Wallets, or changes, that are removed in one transaction. */
const AT_ONCE = 500;

/** Editions in a SQLite file. What writes is to be called in a transaction. */
function createEditions(db: DatabaseSync) {
  const sql = {
    all: db.prepare(
      `SELECT ${EDITION_COLUMNS} FROM edition WHERE state IN ('live', 'past') ORDER BY number`,
    ),
    one: db.prepare(`SELECT ${EDITION_COLUMNS} FROM edition WHERE number = ?`),
    live: db.prepare(`SELECT ${EDITION_COLUMNS} FROM edition WHERE state = 'live'`),
    add: db.prepare(
      `INSERT INTO edition (number, name, version, hash, state, arrived, as_of)
       VALUES (1 + (SELECT coalesce(max(number), 0) FROM edition), ?, ?, ?, 'building',
         max((SELECT coalesce(max(number), 0) FROM evidence_arrival),
             (SELECT coalesce(max(arrived), 0) FROM edition)), ?)
       RETURNING ${EDITION_COLUMNS}`,
    ),
    rules: db.prepare(EDITION_RULES_SQL),
    rulesText: db.prepare(RULES_TEXT_SQL),
    addRules: db.prepare(ADD_RULES_SQL),
    reword: db.prepare(REWORD_SQL),
    removeRules: db.prepare(REMOVE_RULES_SQL),
    giveUp: db.prepare(`UPDATE edition SET state = 'dropped' WHERE state = 'building'`),
    giveUpOne: db.prepare(
      `UPDATE edition SET state = 'dropped' WHERE state = 'building' AND number = ?`,
    ),
    // By its key, for there are few editions and many wallets.
    left: db.prepare(
      `SELECT number FROM edition
       WHERE state IN ('past', 'dropped') AND number IS NOT ?
         AND EXISTS (SELECT 1 FROM scored_wallet WHERE edition = edition.number) LIMIT 1`,
    ),
    upTo: db.prepare(
      `SELECT max(wallet) AS wallet FROM (
         SELECT wallet FROM scored_wallet WHERE edition = ? ORDER BY wallet LIMIT ${AT_ONCE})`,
    ),
    // Only the live edition changes, so the oldest changes are those of the oldest edition.
    oldest: db.prepare('SELECT number, edition FROM scored_change ORDER BY number LIMIT 1'),
    // The last one stays, so that its number is not given again.
    dropChanges: db.prepare(
      `DELETE FROM scored_change WHERE edition = ? AND number < ?
         AND number < (SELECT max(number) FROM scored_change)`,
    ),
    setState: db.prepare('UPDATE edition SET state = ? WHERE number = ?'),
    setLive: db.prepare(
      `UPDATE edition SET state = 'live', replaces = ?, applied_at = ? WHERE number = ?`,
    ),
    move: db.prepare('UPDATE edition SET arrived = ?, as_of = ?, ends = ? WHERE number = ?'),
    settle: db.prepare('UPDATE edition SET settled = ? WHERE number = ?'),
    newestChange: db.prepare('SELECT coalesce(max(number), 0) AS number FROM scored_change'),
    noteImported: db.prepare(NOTE_IMPORTED_SQL),
    addBadge: db.prepare(
      `INSERT INTO badge (id, name, description, tier, image_url, soulbound, revision)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ),
    putBadge: db.prepare(
      `UPDATE badge SET name = ?, description = ?, tier = ?, image_url = ?, soulbound = ?, revision = ?
       WHERE id = ? AND (name, description, tier, image_url, soulbound) IS NOT (?, ?, ?, ?, ?)`,
    ),
  };
  const dropOwn = OWN.map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE edition = ? AND wallet <= ?`),
  );

  const live = (): Edition | undefined => editionOf(sql.live.get());

  return {
    live,
    edition: (number: number) => editionOf(sql.one.get(number)),
    rules: (number: number) => rulesOf(sql.rules.get({ $1: number })),
    rulesText: (number: number) => sql.rulesText.get({ $1: number })?.text as string | undefined,
    editions: () => sql.all.all().flatMap((row) => editionOf(row) ?? []),
    begin({ name, version, hash, text, lists, asOf, badges }: NewEdition): Edition {
      sql.giveUp.run();
      const { revision } = nextBatch();
      const values = (each: BadgeDefinition) => {
        const [id, ...rest] = badgeValues(each);
        return sql.addBadge.run(id, ...rest, revision).changes;
      };
      const changed = badges.map(values).some((changes) => changes !== 0);
      if (changed) addBatch(db);
      const edition = editionOf(sql.add.get(name, version, hash, asOf)) as Edition;
      sql.addRules.run({ $1: hash, $2: text, $3: JSON.stringify(lists) });
      sql.removeRules.run();
      return edition;
    },
    reword(number: number, { text, lists }: Wording): void {
      sql.reword.run({ $1: number, $2: text, $3: JSON.stringify(lists) });
    },
    discard: (number: number): void => void sql.giveUpOne.run(number),
    /** @returns whether there may be more */
    removeLeftovers(): boolean {
      const current = live();
      const left = sql.left.get(current?.replaces ?? null)?.number;
      if (left !== undefined) {
        const upTo = Number(sql.upTo.get(left)?.wallet);
        for (const statement of dropOwn) statement.run(left, upTo);
        return true;
      }
      const oldest = sql.oldest.get();
      const edition = Number(oldest?.edition);
      if (oldest === undefined || edition === current?.number) return false;
      if (edition === current?.replaces) return false;
      return sql.dropChanges.run(edition, Number(oldest.number) + AT_ONCE).changes !== 0;
    },
    move(number: number, { arrived, asOf, ends }: EditionProgress): void {
      sql.move.run(arrived, asOf, ends, number);
    },
    settle(number: number, at: EditionProgress, imported: ImportedEvidence | undefined): void {
      sql.settle.run(settledText(Number(sql.newestChange.get()?.number), at), number);
      if (imported === undefined) return;
      sql.noteImported.run({ $1: number, $2: imported.events, $3: imported.newest });
    },
    /** @returns whether it is live now */
    switchTo(
      number: number,
      expected: number | undefined,
      badges: readonly BadgeDefinition[],
    ): boolean {
      const current = live();
      const next = editionOf(sql.one.get(number));
      if (current?.number !== expected || next?.state !== 'building') return false;
      const { revision } = nextBatch();
      for (const badge of badges) {
        const [id, ...rest] = badgeValues(badge);
        sql.putBadge.run(...rest, revision, id, ...rest);
      }
      const changes = switchChanges(db, current?.number ?? 0, number);
      if (current !== undefined) sql.setState.run('past', current.number);
      const at = wallSeconds();
      sql.setLive.run(current?.number ?? null, at, number);
      addBatch(db, { at, changes, edition: number });
      return true;
    },
  };

  function nextBatch(): { readonly revision: number } {
    const row = db.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM batch').get();
    return { revision: Number(row?.id) };
  }
}

function badgeValues({ id, name, description, tier, imageUrl, soulbound }: BadgeDefinition) {
  return [id, name, description, tier, imageUrl, soulbound ? 1 : 0] as const;
}

/** Wallets per query. */
const STEP = 20_000;

/** How a switch of rules changes what is shown. @param from the previous edition; 0 for none */
function switchChanges(db: DatabaseSync, from: number, to: number): readonly ChangePart[] {
  const packer = new SwitchPacker();
  const sql = Object.fromEntries(
    Object.entries(SWITCH_SQL).map(([name, text]) => [
      name,
      db.prepare(text.replaceAll(/\$(\d)/g, '?$1')),
    ]),
  ) as Record<keyof typeof SWITCH_SQL, ReturnType<DatabaseSync['prepare']>>;
  const highest = Number(db.prepare('SELECT max(id) AS id FROM wallet').get()?.id ?? 0);
  for (let after = 0; after < highest; after += STEP) {
    beat();
    const of = [after, after + STEP, from, to] as const;
    packer.add(
      switchedWallets(rowsOf(sql.wallets, ...of)),
      badgesByWallet(rowsOf(sql.gained, ...of)),
      badgesByWallet(rowsOf(sql.lost, ...of)),
    );
  }
  return packer.end();
}
