import { wallSeconds } from '#base';
import { beat } from '#cluster';
import type { BadgeDefinition } from '#reputation';
import type { NewScoreVersion, ScoreVersion } from '#scoring';
import {
  addBatch,
  badgesByWallet,
  SWITCH_SQL,
  SwitchPacker,
  switchedWallets,
} from '#storage/changes/commit-changes';
import type { ChangePart } from '#storage/changes/packed-changes';
import {
  arrays,
  type Dialect,
  firstRow,
  insertInto,
  type Row,
  rows,
  run,
  type SqlScript,
} from '#storage/sql/script';
import {
  liveScoreVersion,
  SCORE_VERSION_COLUMNS,
  scoreVersionNumbered,
  scoreVersionOf,
} from './score-versions.ts';

/** How a score version begins, goes live and is removed. */

type Rows = readonly (readonly unknown[])[];

/** Sums of ledger rows that aren't in the wallets' own yet, as during an import. */
export interface UnsummedSums {
  /** The sums of wallets with numbers above `from`, up to `to`. */
  of(from: number, to: number): SqlScript<Rows>;
  /**
   * Of all wallets, step by step, in one transaction.
   * @param step how many numbers each step has
   * @returns asks for those of the next step, up to a number; undefined if there are none at all
   */
  open(step: number): SqlScript<((upTo: number) => SqlScript<Rows>) | undefined>;
}

// A score version begins with all evidence there is. Numbers of deleted arrivals aren't reused.
const ADD_SQL = `
  INSERT INTO edition (number, name, version, hash, state, as_of, arrived)
  VALUES (1 + (SELECT coalesce(max(number), 0) FROM edition), $1, $2, $3, 'building', $4,
    (SELECT coalesce(max(number), 0) FROM (
       SELECT max(number) AS number FROM evidence_arrival
       UNION ALL SELECT max(arrived) FROM edition
     ) AS known))
  RETURNING ${SCORE_VERSION_COLUMNS}`;

/** To be called by who alone may write. */
export function* beginScoreVersion(
  dialect: Dialect,
  { name, version, hash, text, lists, asOf, badges }: NewScoreVersion,
): SqlScript<ScoreVersion> {
  yield* run(`UPDATE edition SET state = 'dropped' WHERE state = 'building'`);
  if (yield* addBadges(dialect, badges)) yield* addBatch(dialect);
  const row = yield* firstRow(ADD_SQL, [name, version, hash, asOf]);
  // Where texts mean the same, the last one stays.
  yield* run(
    `INSERT INTO stored_rules (hash, text, lists) VALUES ($1, $2, $3)
     ON CONFLICT (hash) DO UPDATE SET text = excluded.text, lists = excluded.lists
     WHERE stored_rules.text <> excluded.text`,
    [hash, text, JSON.stringify(lists)],
  );
  // Rules of builds that were abandoned; those that were live can be gone back to.
  yield* run(
    `DELETE FROM stored_rules
     WHERE hash NOT IN (SELECT hash FROM edition WHERE state <> 'dropped')`,
  );
  return scoreVersionOf(row) as ScoreVersion;
}

/** Tables that hold what a score version made. */
const OWN = ['scored', 'scored_rule', 'scored_day', 'scored_badge', 'scored_wallet'];
/** Wallets, or changes, that are removed in one transaction. */
const AT_ONCE = 500;

/** Removes some of what nobody is shown. @returns whether there may be more */
export function* removeLeftovers(): SqlScript<boolean> {
  const live = yield* liveScoreVersion();
  const left = yield* firstRow(
    // Use the primary key: few score versions and many wallets.
    `SELECT number FROM edition
     WHERE state IN ('past', 'dropped') AND number IS DISTINCT FROM $1
       AND EXISTS (SELECT 1 FROM scored_wallet WHERE edition = edition.number) LIMIT 1`,
    [live?.replaces],
  );
  if (left !== undefined) {
    const upTo = yield* firstRow(
      `SELECT max(wallet) AS wallet FROM (
         SELECT wallet FROM scored_wallet WHERE edition = $1 ORDER BY wallet LIMIT ${AT_ONCE}
       ) AS first`,
      [left.number],
    );
    for (const table of OWN) {
      yield* run(`DELETE FROM ${table} WHERE edition = $1 AND wallet <= $2`, [
        left.number,
        upTo?.wallet,
      ]);
    }
    return true;
  }
  // Only the live score version changes, so the oldest changes are those of the oldest score version.
  const oldest = yield* firstRow(
    'SELECT number, edition FROM scored_change ORDER BY number LIMIT 1',
  );
  if (oldest === undefined || oldest.edition === live?.number) return false;
  if (oldest.edition === live?.replaces) return false;
  // The last one stays, so that its number is not given again.
  const dropped = yield* run(
    `DELETE FROM scored_change WHERE edition = $1 AND number < $2
       AND number < (SELECT max(number) FROM scored_change)`,
    [oldest.edition, Number(oldest.number) + AT_ONCE],
  );
  return dropped !== 0;
}

/** To be called by who alone may write. @returns whether it is live now */
export function* switchScoreVersion(
  dialect: Dialect,
  unsummed: UnsummedSums | undefined,
  number: number,
  expected: number | undefined,
  badges: readonly BadgeDefinition[],
): SqlScript<boolean> {
  const live = yield* liveScoreVersion();
  const next = yield* scoreVersionNumbered(number, dialect.forUpdate);
  if (live?.number !== expected || next?.state !== 'building') return false;
  yield* changeBadges(badges);
  const changes = yield* switchChanges(unsummed, live?.number ?? 0, number);
  yield* run(`UPDATE edition SET state = 'past' WHERE state = 'live'`);
  const at = wallSeconds();
  yield* run(
    `UPDATE edition SET state = 'live', replaces = $1, applied_at = $2 WHERE number = $3`,
    [live?.number, at, number],
  );
  yield* addBatch(dialect, { at, changes, edition: number });
  return true;
}

/** Wallets per query. */
const STEP = 20_000;

/** The changes made to what is shown when rules go live. @param from a score version; 0 for none */
export function* switchChanges(
  unsummed: UnsummedSums | undefined,
  from: number,
  to: number,
): SqlScript<readonly ChangePart[]> {
  const packer = new SwitchPacker();
  const next = unsummed && (yield* unsummed.open(STEP));
  const end = yield* firstRow('SELECT max(id) AS id FROM wallet');
  const highest = Number(end?.id ?? 0);
  for (let after = 0; after < highest; after += STEP) {
    beat();
    const of = [after, after + STEP, from, to];
    const wallets = yield* arrays(SWITCH_SQL.wallets, of);
    packer.add(
      switchedWallets(wallets, next && (yield* next(after + STEP))),
      badgesByWallet(yield* arrays(SWITCH_SQL.gained, of)),
      badgesByWallet(yield* arrays(SWITCH_SQL.lost, of)),
    );
  }
  return packer.end();
}

const BADGE_COLUMNS = ['name', 'description', 'tier', 'image_url', 'soulbound'] as const;
const BADGE = insertInto('badge', ['number', 'id', ...BADGE_COLUMNS, 'revision']);

/** In the order of BADGE_COLUMNS. */
function badgeValues({ name, description, tier, imageUrl, soulbound }: BadgeDefinition) {
  return [name, description, tier, imageUrl, soulbound ? 1 : 0] as const;
}

function* knownBadges(): SqlScript<{
  readonly byId: ReadonlyMap<string, Row>;
  /** The number of the batch to come. */
  readonly revision: number;
}> {
  const all = yield* rows(`SELECT number, id, ${BADGE_COLUMNS.join(', ')} FROM badge`);
  const next = yield* firstRow('SELECT coalesce(max(id), 0) + 1 AS id FROM batch');
  return { byId: new Map(all.map((row) => [String(row.id), row])), revision: Number(next?.id) };
}

/** Adds those that aren't there. @returns whether there were any */
function* addBadges({ insert }: Dialect, badges: readonly BadgeDefinition[]): SqlScript<boolean> {
  const { byId, revision } = yield* knownBadges();
  const numbers = Array.from(byId.values(), ({ number }) => Number(number));
  const last = numbers.reduce((most, number) => Math.max(most, number), 0);
  const missing = badges.filter(({ id }) => !byId.has(id));
  yield* insert(
    BADGE,
    missing.map((badge, i) => [last + i + 1, badge.id, ...badgeValues(badge), revision]),
  );
  return missing.length > 0;
}

/** Changes those that differ. */
function* changeBadges(badges: readonly BadgeDefinition[]): SqlScript<void> {
  const { byId, revision } = yield* knownBadges();
  for (const badge of badges) {
    const [row, values] = [byId.get(badge.id), badgeValues(badge)];
    if (row === undefined || BADGE_COLUMNS.every((name, i) => row[name] === values[i])) continue;
    yield* run(
      `UPDATE badge
       SET name = $1, description = $2, tier = $3, image_url = $4, soulbound = $5, revision = $6
       WHERE id = $7`,
      [...values, revision, badge.id],
    );
  }
}
