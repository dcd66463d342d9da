import { CARD_STYLES_SQL } from './card-styles-schema.ts';
import { CHANGES_SQL } from './changes/schema.ts';
import { CHAIN_EVIDENCE_SQL, EVIDENCE_SQL, LEFT_OUT_SQL } from './evidence/schema.ts';
import { EXPLANATION_SQL } from './explanation/schema.ts';
import {
  GATING_SQL,
  JOIN_REQUESTS_SQL,
  MISSED_MEMBERS_SQL,
  QUEUED_RUNS_SQL,
  RUN_CONTROL_SQL,
  TOLD_RUNS_SQL,
  UNTOLD_RUNS_SQL,
} from './gating/schema.ts';
import { INBOX_SQL } from './inbox-schema.ts';
import { LINKED_ROLES_SQL } from './linked-roles/schema.ts';
import { SCORING_SQL, STORED_RULES_SQL } from './scoring/schema.ts';
import { WEBHOOKS_SQL } from './webhooks/schema.ts';

/**
 * Each batch gets a random uid, which distinguishes it from one with the same number in a database
 * that was rebuilt or restored from a backup. A non-constant default requires a new table.
 */
const BATCH_UID_SQL = `
  CREATE TABLE named_batch (
    id INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    committed_at INTEGER NOT NULL,
    uid TEXT NOT NULL DEFAULT (lower(hex(randomblob(6))))
  ) STRICT;
  INSERT INTO named_batch (id, last_seq, committed_at) SELECT id, last_seq, committed_at FROM batch;
  DROP TABLE batch;
  ALTER TABLE named_batch RENAME TO batch;
`;

/**
 * The ledger: append-only, one row per activity, `seq` in order of arrival. Ids are unique within a
 * wallet, so that a single small index enforces uniqueness.
 */
export const LEDGER_TABLE_SQL = `
  CREATE TABLE activity (
    seq INTEGER PRIMARY KEY,
    wallet INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    description TEXT NOT NULL,
    points INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    badge INTEGER,
    UNIQUE (wallet, id)
  ) STRICT`;

/** All activities of wallets with more than this many are in `busy_activity`. */
export const BUSY_ABOVE = 500;

/** For lists of who has a badge, newest first. */
const HOLDERS_INDEX_SQL = `
  CREATE INDEX award_holders ON award (badge, earned_at, wallet, seq);
  CREATE INDEX scored_badge_holders ON scored_badge (edition, badge, earned_at, wallet);
`;

/** A migration from one schema version to the next. Never change one once released. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Version n of a file is the result of the first n migrations. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'ledger, read model, keys',
    sql: `
      ${LEDGER_TABLE_SQL};

      -- The newest activities first, of wallets with more than BUSY_ABOVE alone: those of the others
      -- are few enough to be sorted when they are asked for, and a second index over all would cost
      -- a third of an import's time.
      CREATE TABLE busy_activity (
        wallet INTEGER NOT NULL,
        timestamp INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (wallet, timestamp DESC, seq)
      ) STRICT, WITHOUT ROWID;

      -- The read model: sums over the ledger, written in the same transaction.
      -- chain: its place in CHAINS. updated_at: when the last activity was added.
      CREATE TABLE wallet (
        id INTEGER PRIMARY KEY,
        address TEXT NOT NULL UNIQUE,
        chain INTEGER NOT NULL,
        points INTEGER NOT NULL DEFAULT 0,
        activities INTEGER NOT NULL DEFAULT 0,
        updated_at INTEGER NOT NULL DEFAULT 0
      ) STRICT;

      -- revision: the batch that wrote the row last, so that readers find what is new.
      CREATE TABLE name (
        wallet INTEGER PRIMARY KEY,
        display_name TEXT NOT NULL,
        revision INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX name_revision ON name (revision);

      CREATE TABLE badge (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        description TEXT NOT NULL,
        tier TEXT NOT NULL,
        image_url TEXT NOT NULL,
        soulbound INTEGER NOT NULL,
        revision INTEGER NOT NULL
      ) STRICT;

      -- seq: the ledger row that earned it first here; earned_at: the earliest time of all.
      CREATE TABLE award (
        wallet INTEGER NOT NULL,
        badge INTEGER NOT NULL,
        earned_at INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (wallet, badge)
      ) STRICT, WITHOUT ROWID;

      -- A row a transaction. last_seq: the newest ledger row after it.
      CREATE TABLE batch (
        id INTEGER PRIMARY KEY,
        last_seq INTEGER NOT NULL,
        committed_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE api_key (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        hash TEXT NOT NULL UNIQUE,
        label TEXT NOT NULL,
        owner TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        revoked_at INTEGER
      ) STRICT;
      CREATE INDEX api_key_owner ON api_key (owner);
    `,
  },
  {
    name: 'linked wallets',
    sql: `
      -- Whose wallet is whose: apart from the ledger, and no public figure is made of it.
      -- platform and account: of a chat. chain: its place in CHAINS. proof: JSON.
      CREATE TABLE link (
        platform TEXT NOT NULL,
        address TEXT NOT NULL,
        chain INTEGER NOT NULL,
        account TEXT NOT NULL,
        linked_at INTEGER NOT NULL,
        checked_at INTEGER NOT NULL,
        strikes INTEGER NOT NULL,
        proof TEXT NOT NULL,
        PRIMARY KEY (platform, address)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX link_account ON link (platform, account);
      CREATE INDEX link_checked ON link (checked_at);

      CREATE TABLE link_claim (
        platform TEXT NOT NULL,
        address TEXT NOT NULL,
        chain INTEGER NOT NULL,
        account TEXT NOT NULL,
        claimed_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        proof TEXT NOT NULL,
        PRIMARY KEY (platform, address)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX link_claim_account ON link_claim (platform, account);
      CREATE INDEX link_claim_due ON link_claim (due_at);

      -- keeper: the account that may link it meanwhile; NULL when that was erased.
      CREATE TABLE link_hold (
        platform TEXT NOT NULL,
        address TEXT NOT NULL,
        chain INTEGER NOT NULL,
        keeper TEXT,
        until INTEGER NOT NULL,
        PRIMARY KEY (platform, address)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX link_hold_keeper ON link_hold (platform, keeper);
      CREATE INDEX link_hold_until ON link_hold (until);

      -- body: the rest of the request, JSON.
      CREATE TABLE link_request (
        id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        way TEXT NOT NULL,
        ticket TEXT UNIQUE,
        session TEXT UNIQUE,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (platform, account, way)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX link_request_expires ON link_request (expires_at);

      CREATE TABLE link_choice (
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        privacy TEXT NOT NULL,
        communities TEXT NOT NULL,
        PRIMARY KEY (platform, account)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE link_event (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        event TEXT NOT NULL,
        chain INTEGER,
        address TEXT
      ) STRICT;
      CREATE INDEX link_event_account ON link_event (platform, account);
    `,
  },
  { name: 'gating', sql: GATING_SQL },
  { name: 'linked roles', sql: LINKED_ROLES_SQL },
  { name: 'deliveries', sql: INBOX_SQL },
  { name: 'names of batches', sql: BATCH_UID_SQL },
  { name: 'badges by revision', sql: 'CREATE INDEX badge_revision ON badge (revision)' },
  { name: 'requests to join', sql: JOIN_REQUESTS_SQL },
  { name: 'control of gating runs', sql: RUN_CONTROL_SQL },
  {
    name: 'corrections',
    sql: `
      -- number: in the order in which they hold. seq: the ledger row of the correction; corrects:
      -- that of the activity, of the same wallet. What the activity is from then on. lost: the badge
      -- that the wallet has no longer by it.
      CREATE TABLE correction (
        number INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL UNIQUE,
        corrects INTEGER NOT NULL,
        wallet INTEGER NOT NULL,
        description TEXT NOT NULL,
        points INTEGER NOT NULL,
        timestamp INTEGER NOT NULL,
        badge INTEGER,
        lost INTEGER
      ) STRICT;
      CREATE INDEX correction_corrects ON correction (corrects, number);
      CREATE INDEX correction_wallet ON correction (wallet);
    `,
  },
  { name: 'told runs of gating', sql: TOLD_RUNS_SQL },
  { name: 'members missing from lists', sql: MISSED_MEMBERS_SQL },
  { name: 'queued runs of gating', sql: QUEUED_RUNS_SQL },
  { name: 'evidence', sql: EVIDENCE_SQL },
  { name: 'scoring', sql: SCORING_SQL },
  { name: 'evidence of chains', sql: CHAIN_EVIDENCE_SQL },
  { name: 'explanation', sql: EXPLANATION_SQL },
  { name: 'reports of gating', sql: UNTOLD_RUNS_SQL },
  { name: 'changes', sql: CHANGES_SQL },
  { name: 'holders of badges', sql: HOLDERS_INDEX_SQL },
  { name: 'webhooks', sql: WEBHOOKS_SQL },
  { name: 'card styles', sql: CARD_STYLES_SQL },
  { name: 'events left out', sql: LEFT_OUT_SQL },
  { name: 'rules apart from editions', sql: STORED_RULES_SQL },
];
