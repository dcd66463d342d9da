import type { DatabaseSync } from 'node:sqlite';
import { type Logger, RetryableError, wallSeconds } from '#base';
import {
  ACTIVITIES_MAX,
  type LedgerCommit,
  type LedgerRefusal,
  type LedgerWriter,
  tooManyActivities,
} from '#import';
import type { BadgeDefinition, ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation';
import { addBatch } from '#storage/changes/commit-changes';
import { NO_WALLETS, planCorrections, TooManyActivities } from '#storage/corrections';
import {
  arraysOf,
  createSqliteRunner,
  openDatabase,
  rowsOf,
  transaction,
} from '#storage/sqlite/database';
import { translatingErrors } from '#storage/sqlite/file/errors';
import { isServed } from '#storage/sqlite/serving';
import type { Ledger } from '#storage/store';
import { BUSY_ABOVE } from '#storage/tables/ledger';
import { CHAINS, type Chain, type Wallet } from '#wallet';
import {
  createCorrections,
  createEvidence,
  createImportChanges,
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
/** Cached wallet numbers, some 100 bytes each. */
const NUMBERS_KEPT = 50_000;
/** Addresses per query. */
const LOOKUP_MOST = 2_000;

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
  const sql = prepare(db);
  const corrections = createCorrections(db);
  const runner = createSqliteRunner(db, file);
  const evidence = createEvidence(db, runner);
  const changes = createImportChanges(db);
  let staged = nothing();

  /** Numbers of recent wallets; a busy one returns in every batch. */
  let numbers = new Map<string, number>();

  /**
   * Looks up the numbers of all wallets, or assigns them. @param corrected what is added besides
   * what was staged
   */
  function numberWallets(corrected: readonly LedgerActivity[]): void {
    const chains = new Map<string, Chain>();
    for (const { wallet } of staged.activities) chains.set(wallet.address, wallet.chain);
    for (const { wallet } of staged.names) chains.set(wallet.address, wallet.chain);
    for (const { wallet } of staged.events) chains.set(wallet.address, wallet.chain);
    for (const { wallet } of corrected) chains.set(wallet.address, wallet.chain);
    const addresses = findWallets(chains.keys());
    for (const address of addresses) {
      if (numbers.has(address)) continue;
      const chain = CHAINS.indexOf(chains.get(address) as Chain);
      numbers.set(ownText(address), Number(sql.addWallet.run(address, chain).lastInsertRowid));
    }
  }

  /** Looks up wallet numbers in index order. @returns the wallets that were queried */
  function findWallets(all: Iterable<string>): string[] {
    if (numbers.size > NUMBERS_KEPT) numbers = new Map();
    const addresses = [...all].filter((address) => !numbers.has(address));
    addresses.sort((a, b) => (a < b ? -1 : 1));
    for (let from = 0; from < addresses.length; from += LOOKUP_MOST) {
      const asked = JSON.stringify(addresses.slice(from, from + LOOKUP_MOST));
      for (const [id, address] of rowsOf<[number, string]>(sql.findWallets, asked)) {
        numbers.set(address, id);
      }
    }
    return addresses;
  }

  function writeBadges(revision: number): boolean {
    let changed = false;
    for (const badge of staged.badges) {
      const { id, name, description, tier, imageUrl, soulbound } = badge;
      const soul = soulbound ? 1 : 0;
      const { changes } = sql.putBadge.run(id, name, description, tier, imageUrl, soul, revision);
      if (changes !== 0) changed = true;
    }
    return changed;
  }

  function writeNames(revision: number): boolean {
    const last = new Map(staged.names.map((each) => [each.wallet.address, each.displayName]));
    let changed = false;
    for (const [address, displayName] of last) {
      const number = numbers.get(address) as number;
      if (sql.putName.run(number, displayName, revision).changes !== 0) changed = true;
    }
    return changed;
  }

  /**
   * Adds new activities to the ledger, and badges to their earners.
   * @param full wallets that can't have more
   * @param refused receives those that contradict known ones, and new ones of full wallets
   */
  function writeActivities(
    pending: readonly Pending[],
    full: ReadonlySet<number>,
    refused: LedgerRefusal[],
  ): Map<number, Added> {
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

  /**
   * Adds new rows of busy wallets to `busy_activity`; all rows of wallets that just became busy.
   * @throws TooManyActivities
   */
  function noteBusy(added: Map<number, Added>, { wallets, activities }: WalletSums): void {
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

  /** In a transaction. @param full wallets that can't have more activities */
  function writeAll(full: ReadonlySet<number>): LedgerCommit {
    const revision = Number(sql.lastBatch.get()?.id ?? 0) + 1;
    const badgesChanged = writeBadges(revision);
    const { length } = staged.activities;
    const facts = corrections.factsOf(staged.corrections);
    const plan = planCorrections(staged.corrections, facts, length, full);
    const adjustments = plan.planned.map(({ adjustment }) => adjustment);
    numberWallets(adjustments);
    const namesChanged = writeNames(revision);
    const refused: LedgerRefusal[] = [];
    const pending = inIndexOrder([...staged.activities, ...adjustments], numbers);
    const added = writeActivities(pending, full, refused);
    const dropped = corrections.note(plan.planned);
    refused.push(...plan.refused);
    const now = wallSeconds();
    let count = 0;
    for (const [wallet, { points, rows }] of added) {
      const size = rows.length / 2;
      sql.addToWallet.run(points, size, now, wallet);
      count += size;
    }
    const sums = changes.sumsOf([...added.keys()]);
    noteBusy(added, sums);
    const events = staged.events.length > 0 ? evidence.add(staged.events, numbers) : undefined;
    if (count > 0 || badgesChanged || namesChanged || (events?.added ?? 0) > 0) {
      const packed = changes.packed(added, sums, dropped);
      void runner.query(() => addBatch(runner.dialect, { at: now, changes: packed }));
    }
    const known = length + staged.corrections.length - count - refused.length;
    return {
      ...{ added: count, known },
      ...(refused.length > 0 && { refused }),
      ...(events !== undefined && { events }),
    };
  }

  function writeBatch(full = NO_WALLETS): LedgerCommit {
    try {
      return transaction(db, () => writeAll(full));
    } catch (error) {
      if (!(error instanceof TooManyActivities)) throw error;
      // The numbers just assigned were rolled back.
      numbers.clear();
      return writeBatch(full.union(error.wallets));
    }
  }

  return {
    knownBadges: () =>
      translatingErrors(file, () => new Set(sql.badges.all().map((row) => String(row.id)))),
    stage(part) {
      for (const badge of part.badges) staged.badges.push(badge);
      for (const name of part.names) staged.names.push(name);
      for (const activity of part.activities) staged.activities.push(activity);
      for (const event of part.events ?? []) staged.events.push(event);
    },
    stageCorrections(all) {
      for (const correction of all) staged.corrections.push(correction);
    },
    compare(activities, all) {
      return translatingErrors(file, () => {
        findWallets(new Set(activities.map(({ wallet }) => wallet.address)));
        const refused: LedgerRefusal[] = [];
        for (const [place, activity] of activities.entries()) {
          const wallet = numbers.get(activity.wallet.address);
          const refusal =
            wallet === undefined ? undefined : corrections.refusalOf(wallet, activity);
          if (refusal !== undefined) refused.push({ place, ...refusal });
        }
        const plan = planCorrections(all, corrections.factsOf(all), activities.length);
        return [...refused, ...plan.refused];
      });
    },
    compareEvents(events) {
      return translatingErrors(file, () => {
        findWallets(new Set(events.map(({ wallet }) => wallet.address)));
        return evidence.compare(events, numbers);
      });
    },
    commit() {
      try {
        const commit = translatingErrors(file, () => writeBatch());
        staged = nothing();
        return commit;
      } catch (error) {
        // The ones just assigned were rolled back.
        numbers.clear();
        if (!(error instanceof RetryableError)) staged = nothing();
        throw error;
      }
    },
    // A file loses commits only if the machine fails, which ends this process as well.
    confirm: () => undefined,
    finish() {
      translatingErrors(file, () => db.exec('PRAGMA optimize; PRAGMA wal_checkpoint(PASSIVE)'));
    },
  };
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
  numbers: Map<string, number>,
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

function prepare(db: DatabaseSync) {
  return {
    findWallets: db.prepare(
      'SELECT wallet.id, wallet.address FROM json_each(?) AS asked JOIN wallet ON wallet.address = asked.value',
    ),
    addWallet: db.prepare('INSERT INTO wallet (address, chain) VALUES (?, ?)'),
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

/** A copy of the text that doesn't keep alive the long text it was cut from. */
function ownText(text: string): string {
  return Buffer.from(text).toString();
}
