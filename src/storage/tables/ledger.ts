import type { Table } from './table.ts';

/** All activities of wallets with more than this many are in `busy_activity`. */
export const BUSY_ABOVE = 500;

/**
 * Append-only, one row an activity, `seq` in the order of arrival and without gaps. Ids are unique
 * within a wallet, so that one index serves uniqueness and stays small.
 */
export const ACTIVITY_TABLE: Table = {
  name: 'activity',
  columns: {
    seq: 'big',
    wallet: 'int',
    id: 'key',
    type: 'text',
    description: 'text',
    points: 'int',
    timestamp: 'big',
    badge: 'int?',
  },
  key: 'seq',
  unique: '(wallet, id)',
  postgresOrder: 'seq, timestamp, wallet, points, badge, id, type, description',
};

/** Triggers that sum up `busy_day`, whoever writes. */
const KEEP_BUSY_DAYS = {
  sqlite: `
  CREATE TRIGGER busy_day_sums AFTER INSERT ON busy_activity BEGIN
    INSERT INTO busy_day
    SELECT new.wallet, new.timestamp / 86400, points FROM activity WHERE seq = new.seq
    ON CONFLICT (wallet, day) DO UPDATE SET points = points + excluded.points;
  END;`,
  postgres: `
  CREATE FUNCTION add_busy_days() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO busy_day
    SELECT added.wallet, added.timestamp / 86400, sum(activity.points)
    FROM added JOIN activity ON activity.seq = added.seq GROUP BY 1, 2
    ON CONFLICT (wallet, day) DO UPDATE SET points = busy_day.points + excluded.points;
    RETURN NULL;
  END $$;
  CREATE TRIGGER busy_day_sums AFTER INSERT ON busy_activity
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_busy_days();`,
};

/** The ledger and its read model. Released: what is here never changes; see `Table.added`. */
export const LEDGER_TABLES: readonly Table[] = [
  // The read model: sums over the ledger, written in the same transaction. In Postgres, pages have
  // room for a row's next version, so that the index on addresses is left alone when a sum changes.
  {
    name: 'wallet',
    columns: {
      id: 'int',
      address: 'key',
      // Its place in CHAINS.
      chain: 'small',
      points: 'big = 0',
      activities: 'int = 0',
      // When the last activity was added.
      updated_at: 'big = 0',
    },
    key: 'id',
    unique: { sqlite: '(address)', postgres: '(address) INCLUDE (id)' },
    postgresOrder: 'id, chain, points, updated_at, activities, address',
    also: { postgres: 'ALTER TABLE wallet SET (fillfactor = 50);' },
  },
  {
    name: 'badge',
    columns: {
      number: 'int',
      id: 'key unique',
      name: 'text',
      description: 'text',
      tier: 'text',
      image_url: 'text',
      soulbound: 'small',
      revision: 'big',
    },
    key: 'number',
    indexes: { badge_revision: '(revision)' },
  },
  ACTIVITY_TABLE,
  // Corrections of activities: what the activity is from then on.
  {
    name: 'correction',
    columns: {
      // In the order in which they hold.
      number: 'big',
      // The ledger row of the correction, and that of the activity, of the same wallet.
      seq: 'big unique',
      corrects: 'big',
      wallet: 'int',
      description: 'text',
      points: 'int',
      timestamp: 'big',
      badge: 'int?',
      // The badge that the correction took from the wallet.
      lost: 'int?',
    },
    key: 'number',
    indexes: { correction_corrects: '(corrects, number)', correction_wallet: '(wallet)' },
    postgresOrder: 'number, seq, corrects, timestamp, wallet, points, badge, lost, description',
  },
  // The newest activities first, of wallets with more than BUSY_ABOVE alone: those of the others
  // are few enough to be sorted when they are asked for, and a second index over all would cost
  // a third of an import's time.
  {
    name: 'busy_activity',
    columns: { wallet: 'int', timestamp: 'big', seq: 'big' },
    key: 'wallet, timestamp DESC, seq',
  },
  // Points of busy wallets by day since 1970, so that a history needs no scan of a wallet's whole
  // past. A trigger keeps it, whoever writes.
  {
    name: 'busy_day',
    isLeftBehind: true,
    columns: { wallet: 'int', day: 'int', points: 'big' },
    key: 'wallet, day',
    also: KEEP_BUSY_DAYS,
  },
  {
    name: 'name',
    // revision: the batch that wrote the row last, so that readers find what is new.
    columns: { wallet: 'int', display_name: 'text', revision: 'big' },
    key: 'wallet',
    indexes: { name_revision: { sqlite: '(revision)', postgres: '(revision, wallet)' } },
    postgresOrder: 'wallet, revision, display_name',
  },
  {
    name: 'award',
    // earned_at: the earliest time of all. seq: the ledger row that earned it first here.
    columns: { wallet: 'int', badge: 'int', earned_at: 'big', seq: 'big' },
    key: 'wallet, badge',
    // For lists of who has a badge, newest first.
    indexes: {
      award_holders: {
        sqlite: '(badge, earned_at, wallet, seq)',
        postgres: '(badge, earned_at, wallet) INCLUDE (seq)',
      },
    },
  },
  // A row a transaction.
  {
    name: 'batch',
    columns: {
      id: 'big',
      // The newest ledger row after it.
      last_seq: 'big',
      committed_at: 'big',
      // Tells it from another batch with its id: after a restore, or when a server that takes over
      // lacks the last commits. Whoever remembers one recognises a history, so it moves too.
      uid: {
        sqlite: 'TEXT NOT NULL DEFAULT (lower(hex(randomblob(6))))',
        postgres: `text COLLATE "C" NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12)`,
      },
      // Whether it is in the sums of `wallet`, as all but an import's newest few are. The sums of a
      // moved store are up to date.
      summed: { postgres: 'boolean NOT NULL', moved: 'true' },
      // The number of entries in the feed of changes up to it. It has no default, so that nobody
      // leaves changes out.
      changes: 'big',
    },
    key: 'id',
    indexes: { batch_not_summed: { postgres: '(last_seq, id) WHERE NOT summed' } },
  },
  // The feed of changes.
  {
    name: 'change_part',
    columns: {
      // The number of the first entry, from 1, without gaps.
      first: 'big',
      count: 'int',
      batch: 'big',
      edition: 'int?',
      // Wallets, packed; none for an entry that says that an edition of rules went live.
      changes: 'bytes',
    },
    key: 'first',
    postgresOrder: 'first, batch, count, edition, changes',
    also: { postgres: 'ALTER TABLE change_part ALTER COLUMN changes SET STORAGE EXTERNAL;' },
  },
  // At most one row. since: the newest batch from before there was a feed. pruned: the number of
  // the newest entry that isn't kept any more.
  { name: 'change_floor', columns: { since: 'big', pruned: 'big' }, key: 'since' },
];
