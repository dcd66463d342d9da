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

/** Triggers that sum up `busy_day` for every writer. */
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
  // past. A trigger keeps it for every writer.
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
      // lacks the last commits. A client that remembers one recognises a history, so it moves too.
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
      // Wallets, packed; none for an entry that says that a version of the rules went live.
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

/** What rules read, and what they gave. Released: what is here never changes; see `Table.added`. */
export const SCORING_TABLES: readonly Table[] = [
  // What rules wait for. Of the source "import": the names of events.
  {
    name: 'evidence_input',
    columns: {
      number: 'int',
      source: 'key',
      name: 'key',
      // How far the input of a chain has been read; nothing for imports.
      height: 'big?',
      hash: 'key?',
      time: 'big?',
      // On its balances.
      verdict: 'key?',
    },
    // For inputs of chains: how many events each has, and how many were left out.
    added: { 'counts of inputs': { columns: { events: 'big = 0', left_out: 'big = 0' } } },
    key: 'number',
    unique: '(source, name)',
  },
  // Events, each once, whatever the rules: those of one wallet lie together, so that rules are
  // folded over wallet after wallet.
  {
    name: 'evidence',
    columns: {
      wallet: 'int',
      input: 'int',
      // Within the source; of an import the source of the line.
      place: 'key',
      // The first part of the order; of an import its time.
      height: 'big',
      // Seconds since 1970.
      time: 'big',
      // JSON.
      args: 'text',
      // By which an explorer finds the event.
      transaction_id: 'key?',
    },
    key: 'wallet, input, place',
    postgresOrder: 'height, time, wallet, input, place, args, transaction_id',
  },
  // How much there is of each source, written in the same transaction.
  {
    name: 'evidence_source',
    columns: {
      source: 'key',
      events: 'big',
      // The time of the newest event.
      newest: 'big',
      // The source's, so that other events never get its name.
      chain: 'key?',
      // Events that name no wallet or are malformed.
      left_out: 'big = 0',
    },
    key: 'source',
  },
  // Wallets that got evidence, in the order of the commits; kept while there are score versions to bring
  // up to date.
  { name: 'evidence_arrival', columns: { number: 'big', wallet: 'int' }, key: 'number' },
  // Rules, and how far what they made of the evidence is.
  {
    name: 'edition',
    columns: {
      number: 'int',
      name: 'key',
      version: 'int',
      hash: 'key',
      state: 'key',
      // The score version that was live before it.
      replaces: 'int?',
      // What of `evidence_arrival` is in.
      arrived: 'big',
      // The midnight that was taken last, as a day since 1970.
      as_of: 'int',
      applied_at: 'big?',
      // JSON: what the scores are based on.
      ends: "key = '[]'",
    },
    // The state in which all scores of a score version last stood on the same evidence and day, as JSON of
    // its newest change, its day and its ends; NULL where an earlier version wrote it.
    added: { 'when scores were settled': { columns: { settled: 'key?' } } },
    key: 'number',
  },
  // Rules files apart from score versions, whose rows are written with each bit of progress: a list may
  // have a million addresses. Score versions with the same hash mean the same, and share a row.
  // lists: JSON, texts by their paths.
  {
    name: 'stored_rules',
    hasLargeRows: true,
    columns: { hash: 'key', text: 'key', lists: 'key' },
    key: 'hash',
  },
  // What the rules of a score version gave: activities, as those of the ledger. The newest of a wallet
  // come first.
  {
    name: 'scored',
    columns: {
      edition: 'int',
      wallet: 'int',
      timestamp: 'big',
      id: 'key',
      // The changes (scored_change) that brought a row and took it back, so that who is behind
      // still finds it; 0 was there when the score version went live.
      born: 'big',
      gone: 'big?',
      type: 'key',
      description: 'key',
      points: 'big',
      badge: 'int?',
      // RULE:SOURCE:POSITION.
      origin: 'key',
    },
    key: 'edition, wallet, timestamp DESC, id, born',
  },
  // Sums over those that are there.
  {
    name: 'scored_wallet',
    columns: {
      edition: 'int',
      wallet: 'int',
      points: 'big',
      activities: 'int',
      // 0 when nothing changed since the score version went live.
      updated_at: 'big',
      // The day whose midnight changes something next.
      due: 'int?',
      // The newest one of the wallet.
      change: 'big',
    },
    key: 'edition, wallet',
    indexes: { scored_wallet_due: '(edition, due) WHERE due IS NOT NULL' },
  },
  {
    name: 'scored_rule',
    columns: {
      edition: 'int',
      wallet: 'int',
      rule: 'key',
      points: 'big',
      events: 'int',
      capped: 'big',
      decayed: 'big',
      discounted: 'big',
      newest: 'big',
    },
    key: 'edition, wallet, rule',
  },
  // Points by day, as busy_day, of wallets with as many rows of a score version. change: that of the
  // wallet (scored_wallet) when it was written; where that has another one, these are out of date.
  {
    name: 'scored_day',
    columns: { edition: 'int', wallet: 'int', day: 'int', points: 'big', change: 'big' },
    key: 'edition, wallet, day',
  },
  // How much of a source that has no blocks (the imports) is in a score version. height: how many
  // events. at: the time of the newest.
  {
    name: 'edition_source',
    columns: { edition: 'int', source: 'key', height: 'big', at: 'big' },
    key: 'edition, source',
  },
  {
    name: 'scored_badge',
    columns: { edition: 'int', wallet: 'int', badge: 'int', earned_at: 'big' },
    key: 'edition, wallet, badge',
    // For lists of who has a badge, newest first.
    indexes: { scored_badge_holders: '(edition, badge, earned_at, wallet)' },
  },
  // What a batch changed of the live score version, one row a wallet.
  {
    name: 'scored_change',
    columns: {
      number: 'big',
      batch: 'big',
      edition: 'int',
      wallet: 'int',
      // Differences.
      points: 'big',
      activities: 'int',
      // Numbers of badges with commas between them.
      gained: 'key',
      lost: 'key',
    },
    key: 'number',
    indexes: { scored_change_batch: '(batch, number)' },
  },
];
