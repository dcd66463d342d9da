import type { DatabaseSync } from 'node:sqlite';
import { type Logger, RetryableError, wallSeconds } from '#base';
import {
  ACTIVITIES_MAX,
  type LedgerBatch,
  type LedgerCommit,
  type LedgerRefusal,
  type LedgerWriter,
  tooManyActivities,
} from '#import';
import type { BadgeDefinition, ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation';
import { addBatch } from '#storage/changes/commit-changes';
import { NO_WALLETS, planCorrections, TooManyActivities } from '#storage/corrections';
import type { SqlRunner } from '#storage/sql/script';
import { arraysOf, openDatabase, transaction } from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/file/errors';
import { createSqliteRunner } from '#storage/sqlite/runner';
import { isServed } from '#storage/sqlite/serving';
import type { Ledger } from '#storage/store';
import { BUSY_ABOVE } from '#storage/tables/ledger';
import type { Wallet } from '#wallet';
import {
  type Corrections,
  createCorrections,
  createEvidence,
  createImportChanges,
  type EvidenceIn,
  type ImportChanges,
  WalletNumbers,
  type WalletSums,
} from './batch.ts';

/**
 * A batch touches pages all over the ledger's indexes, in order, so that it needs each only once: a
 * larger cache doesn't make batches faster.
 */
const CACHE_KIB = 16 * 1024;
/**
 * Pages of the write-ahead log (1 GiB) before a checkpoint. A page that several batches touch is
 * then copied once.
 */
const CHECKPOINT_PAGES = 262_144;

interface Pending {
  readonly wallet: number;
  /** Index among the staged activities. */
  readonly place: number;
  readonly activity: LedgerActivity;
}

/** What a batch added to one wallet. */
interface Added {
  points: number;
  /** New ledger rows, two numbers each: timestamp and seq. */
  readonly rows: number[];
  /** Numbers of badges. */
  earned?: number[];
}

/** What was staged since the last commit. */
interface Staged {
  readonly badges: BadgeDefinition[];
  readonly names: { readonly wallet: Wallet; readonly displayName: string }[];
  readonly activities: LedgerActivity[];
  readonly corrections: LedgerCorrection[];
  readonly events: ImportedEvent[];
}

/** Opens a file for an import alone. @throws as `openDatabase` */
export function openSqliteLedger(file: string, log: Logger): Ledger {
  const db = openDatabase(file, log);
  return {
    openWriter: () => createWriter(db, file),
    isServed: () => isServed(file),
    close: () => db.close(),
  };
}

/** Writes to the ledger and its read model. */
export function createWriter(db: DatabaseSync, file: string): LedgerWriter {
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  return new SqliteLedgerWriter(db, file);
}

class SqliteLedgerWriter implements LedgerWriter {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #sql: Statements;
  readonly #runner: SqlRunner;
  readonly #numbers: WalletNumbers;
  readonly #corrections: Corrections;
  readonly #evidence: EvidenceIn;
  readonly #changes: ImportChanges;
  #staged = nothing();

  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
    this.#sql = prepare(db);
    this.#runner = createSqliteRunner(db, file);
    this.#numbers = new WalletNumbers(db);
    this.#corrections = createCorrections(db);
    this.#evidence = createEvidence(db, this.#runner);
    this.#changes = createImportChanges(db);
  }

  knownBadges(): Set<string> {
    const rows = translatingErrors(this.#file, () => this.#sql.badges.all());
    return new Set(rows.map((row) => String(row.id)));
  }

  stage(part: LedgerBatch): void {
    const { badges, names, activities, events } = this.#staged;
    for (const badge of part.badges) badges.push(badge);
    for (const name of part.names) names.push(name);
    for (const activity of part.activities) activities.push(activity);
    for (const event of part.events ?? []) events.push(event);
  }

  stageCorrections(all: readonly LedgerCorrection[]): void {
    for (const correction of all) this.#staged.corrections.push(correction);
  }

  compare(
    activities: readonly LedgerActivity[],
    all: readonly LedgerCorrection[],
  ): readonly LedgerRefusal[] {
    return translatingErrors(this.#file, () => {
      const numbers = this.#numbers.find(activities.map(({ wallet }) => wallet.address));
      const refused: LedgerRefusal[] = [];
      for (const [place, activity] of activities.entries()) {
        const wallet = numbers.get(activity.wallet.address);
        const refusal =
          wallet === undefined ? undefined : this.#corrections.refusalOf(wallet, activity);
        if (refusal !== undefined) refused.push({ place, ...refusal });
      }
      const plan = planCorrections(all, this.#corrections.factsOf(all), activities.length);
      return [...refused, ...plan.refused];
    });
  }

  compareEvents(events: readonly ImportedEvent[]): readonly LedgerRefusal[] {
    return translatingErrors(this.#file, () => {
      const numbers = this.#numbers.find(events.map(({ wallet }) => wallet.address));
      return this.#evidence.compare(events, numbers);
    });
  }

  commit(): LedgerCommit {
    try {
      const commit = translatingErrors(this.#file, () => this.#writeBatch());
      this.#staged = nothing();
      return commit;
    } catch (error) {
      // The ones just assigned were rolled back.
      this.#numbers.forget();
      if (!(error instanceof RetryableError)) this.#staged = nothing();
      throw error;
    }
  }

  /** A file loses commits only if the machine fails, which ends this process as well. */
  confirm(): void {}

  finish(): void {
    translatingErrors(this.#file, () =>
      this.#db.exec('PRAGMA optimize; PRAGMA wal_checkpoint(PASSIVE)'),
    );
  }

  /** @param full wallets that can't have more activities */
  #writeBatch(full = NO_WALLETS): LedgerCommit {
    try {
      return transaction(this.#db, () => this.#writeAll(full));
    } catch (error) {
      if (!(error instanceof TooManyActivities)) throw error;
      // The numbers just assigned were rolled back.
      this.#numbers.forget();
      return this.#writeBatch(full.union(error.wallets));
    }
  }

  /** In a transaction. */
  #writeAll(full: ReadonlySet<number>): LedgerCommit {
    const { activities, names, events, corrections } = this.#staged;
    const revision = Number(this.#sql.lastBatch.get()?.id ?? 0) + 1;
    const badgesChanged = this.#writeBadges(revision);
    const facts = this.#corrections.factsOf(corrections);
    const plan = planCorrections(corrections, facts, activities.length, full);
    const adjustments = plan.planned.map(({ adjustment }) => adjustment);
    const numbers = this.#numbers.findOrAssign([activities, names, events, adjustments]);
    const namesChanged = this.#writeNames(revision, numbers);
    const refused: LedgerRefusal[] = [];
    const pending = inIndexOrder([...activities, ...adjustments], numbers);
    const added = this.#writeActivities(pending, full, refused);
    const dropped = this.#corrections.note(plan.planned);
    refused.push(...plan.refused);
    const now = wallSeconds();
    const count = this.#addToWallets(added, now);
    const sums = this.#changes.sumsOf([...added.keys()]);
    this.#noteBusy(added, sums);
    const evidence = events.length > 0 ? this.#evidence.add(events, numbers) : undefined;
    if (count > 0 || badgesChanged || namesChanged || (evidence?.added ?? 0) > 0) {
      const packed = this.#changes.packed(added, sums, dropped);
      const { dialect } = this.#runner;
      void this.#runner.query(() => addBatch(dialect, { at: now, changes: packed }));
    }
    const known = activities.length + corrections.length - count - refused.length;
    return {
      ...{ added: count, known },
      ...(refused.length > 0 && { refused }),
      ...(evidence !== undefined && { events: evidence }),
    };
  }

  #writeBadges(revision: number): boolean {
    let changed = false;
    for (const badge of this.#staged.badges) {
      const { id, name, description, tier, imageUrl } = badge;
      const values = [id, name, description, tier, imageUrl, badge.soulbound ? 1 : 0, revision];
      if (this.#sql.putBadge.run(...values).changes !== 0) changed = true;
    }
    return changed;
  }

  #writeNames(revision: number, numbers: ReadonlyMap<string, number>): boolean {
    const { names } = this.#staged;
    const last = new Map(names.map((each) => [each.wallet.address, each.displayName]));
    let changed = false;
    for (const [address, displayName] of last) {
      const number = numbers.get(address) as number;
      if (this.#sql.putName.run(number, displayName, revision).changes !== 0) changed = true;
    }
    return changed;
  }

  /**
   * Adds new activities to the ledger, and badges to their earners.
   * @param full wallets that can't have more
   * @param refused receives those that contradict known ones, and new ones of full wallets
   */
  #writeActivities(
    pending: readonly Pending[],
    full: ReadonlySet<number>,
    refused: LedgerRefusal[],
  ): Map<number, Added> {
    const sql = this.#sql;
    const corrections = this.#corrections;
    const badges = new Map<string, number>();
    for (const row of sql.badges.all()) badges.set(String(row.id), Number(row.number));
    const added = new Map<number, Added>();
    // Known activities come in runs, as when a file is imported again: then check before inserting.
    let wasKnown = false;
    for (const { wallet, activity, place } of pending) {
      const { id, type, description, points, timestamp } = activity;
      const badge = activity.badge === undefined ? null : badges.get(activity.badge);
      if (badge === undefined) throw new Error(`the badge ${activity.badge} isn't in the store`);
      const isSame = () =>
        sql.same.get(wallet, id, points, timestamp, badge, description) !== undefined;
      if (wasKnown && isSame()) continue;
      if (full.has(wallet) && !corrections.has(wallet, id)) {
        refused.push({ place, ...tooManyActivities() });
        continue;
      }
      const inserted = sql.addActivity.run(wallet, id, type, description, points, timestamp, badge);
      wasKnown = inserted.changes === 0;
      if (wasKnown) {
        const refusal = isSame() ? undefined : corrections.refusalOf(wallet, activity);
        if (refusal !== undefined) refused.push({ place, ...refusal });
        continue;
      }
      const seq = Number(inserted.lastInsertRowid);
      const sum: Added = added.get(wallet) ?? { points: 0, rows: [] };
      if (sum.rows.length === 0) added.set(wallet, sum);
      sum.points += points;
      sum.rows.push(timestamp, seq);
      if (badge === null) continue;
      if (sql.addAward.run(wallet, badge, timestamp, seq).changes !== 0) {
        if (sum.earned === undefined) sum.earned = [badge];
        else sum.earned.push(badge);
      } else sql.moveAward.run(timestamp, wallet, badge, timestamp);
    }
    return added;
  }

  /** Adds what is new to the sums of its wallets. @returns the number of new rows */
  #addToWallets(added: ReadonlyMap<number, Added>, now: number): number {
    let count = 0;
    for (const [wallet, { points, rows }] of added) {
      const size = rows.length / 2;
      this.#sql.addToWallet.run(points, size, now, wallet);
      count += size;
    }
    return count;
  }

  /**
   * Adds new rows of busy wallets to `busy_activity`; all rows of wallets that just became busy.
   * @throws TooManyActivities
   */
  #noteBusy(added: ReadonlyMap<number, Added>, { wallets, activities }: WalletSums): void {
    const sql = this.#sql;
    const full = wallets.filter((_, place) => (activities[place] as number) > ACTIVITIES_MAX);
    if (full.length > 0) throw new TooManyActivities(new Set(full));
    for (const [place, total] of activities.entries()) {
      if (total <= BUSY_ABOVE) continue;
      const wallet = wallets[place] as number;
      const { rows } = added.get(wallet) as Added;
      if (total - rows.length / 2 <= BUSY_ABOVE) {
        sql.addAllBusy.run(wallet);
        continue;
      }
      for (let i = 0; i < rows.length; i += 2) {
        sql.addBusy.run(wallet, rows[i] as number, rows[i + 1] as number);
      }
    }
  }
}

function nothing(): Staged {
  return { badges: [], names: [], activities: [], corrections: [], events: [] };
}

/**
 * Neighbours in the ledger's indexes next to each other: a page with many rows of a batch is then
 * fetched and logged once, which with millions of wallets is most of the cost.
 */
function inIndexOrder(
  activities: readonly LedgerActivity[],
  numbers: ReadonlyMap<string, number>,
): Pending[] {
  const pending = activities.map((activity, place) => ({
    wallet: numbers.get(activity.wallet.address) as number,
    place,
    activity,
  }));
  return pending.sort(
    (a, b) =>
      a.wallet - b.wallet ||
      (a.activity.id < b.activity.id ? -1 : a.activity.id > b.activity.id ? 1 : 0),
  );
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: DatabaseSync) {
  return {
    addToWallet: db.prepare(
      `UPDATE wallet SET points = points + ?, activities = activities + ?, updated_at = ?
       WHERE id = ?`,
    ),
    addBusy: db.prepare('INSERT INTO busy_activity (wallet, timestamp, seq) VALUES (?, ?, ?)'),
    addAllBusy: db.prepare(
      `INSERT INTO busy_activity (wallet, timestamp, seq)
       SELECT wallet, timestamp, seq FROM activity WHERE wallet = ?`,
    ),
    addActivity: db.prepare(
      `INSERT INTO activity (wallet, id, type, description, points, timestamp, badge)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (wallet, id) DO NOTHING`,
    ),
    same: arraysOf(
      db.prepare(
        `SELECT 1 FROM activity WHERE wallet = ? AND id = ? AND points = ? AND timestamp = ?
           AND badge IS ? AND description = ?`,
      ),
    ),
    addAward: db.prepare(
      'INSERT INTO award (wallet, badge, earned_at, seq) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    moveAward: db.prepare(
      'UPDATE award SET earned_at = ? WHERE wallet = ? AND badge = ? AND earned_at > ?',
    ),
    putName: db.prepare(
      `INSERT INTO name (wallet, display_name, revision) VALUES (?, ?, ?)
       ON CONFLICT (wallet) DO UPDATE
       SET display_name = excluded.display_name, revision = excluded.revision
       WHERE display_name <> excluded.display_name`,
    ),
    putBadge: db.prepare(
      `INSERT INTO badge (id, name, description, tier, image_url, soulbound, revision)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE
       SET name = excluded.name, description = excluded.description, tier = excluded.tier,
           image_url = excluded.image_url, soulbound = excluded.soulbound,
           revision = excluded.revision
       WHERE (name, description, tier, image_url, soulbound) IS NOT
             (excluded.name, excluded.description, excluded.tier, excluded.image_url,
              excluded.soulbound)`,
    ),
    badges: db.prepare('SELECT id, number FROM badge'),
    lastBatch: db.prepare('SELECT max(id) AS id FROM batch'),
  };
}
