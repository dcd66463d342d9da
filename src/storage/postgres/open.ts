import { type Logger, messageOf, RetryableError, UserError } from '#base';
import { Upkeep } from '#base/process';
import { within, withinAwake } from '#base/waiting';
import type { TierThresholds } from '#reputation';
import { createCardStyleStore } from '#storage/card-styles';
import { pruneFeed } from '#storage/changes/feed';
import type { Follower } from '#storage/following/follow';
import { createSource } from '#storage/following/source';
import { createGateStore } from '#storage/gating/index';
import { createConnectionStore } from '#storage/role-connections';
import { readEvidenceSnapshot } from '#storage/scoring/evidence-snapshot';
import { createEvidenceStore } from '#storage/scoring/evidence-store';
import { RuleTitles } from '#storage/scoring/rule-titles';
import { createScoringStore } from '#storage/scoring/scoring-store';
import type { Store, StoreFigures } from '#storage/store';
import { createWebhookStore } from '#storage/webhooks';
import { isPooled, pooled } from './connection.ts';
import { type Database, openDatabase, SCHEMA } from './database.ts';
import { readOnlyError } from './errors.ts';
import { followPostgres, loadStandings } from './following/follow.ts';
import { createReads, openRows, type Reads } from './following/reads.ts';
import { createCachedKeyStore, createLinkStoreBesideKeys } from './keys.ts';
import { UNSUMMED } from './ledger/sums.ts';
import { createWriter, type PostgresWriter } from './ledger/writer.ts';
import { LEFT_OVER, migrate, PUT_ASIDE_SQL } from './migrate.ts';
import { createPostgresRunner } from './runner.ts';
import { writeScores } from './scoring.ts';
import { createInboxStore, createWorkStore } from './work.ts';

export interface PostgresOptions {
  readonly thresholds: TierThresholds;
  readonly log: Logger;
  /** Read replica for queries; the primary answers if it can't. */
  readonly readUrl?: string | undefined;
  /** The most connections for queries. */
  readonly connections?: number | undefined;
}

/** How long a server has to answer a health check. */
const CHECK_MS = 1_000;
/** Startup doesn't depend on the read replica, so it barely waits for it. */
const COPY_LIMITS = { answerMs: 1_000, connectMs: 2_000 };
/** How long connections have to close gracefully. */
const CLOSE_MS = 2_000;

/**
 * Opens the store in a Postgres database and migrates it to the newest schema.
 * @throws UserError `wrong-configuration`, RetryableError; see `migrate`
 */
export async function openPostgresStore(url: string, options: PostgresOptions): Promise<Store> {
  const { thresholds, log, readUrl, connections } = options;
  if (!URL.canParse(url)) {
    throw new UserError(
      'wrong-configuration',
      "DATABASE_URL isn't a full URL, such as postgres://user:password@host:5432/name. Percent-encode special characters in the password, for example @ as %40 and # as %23.",
    );
  }
  await migrate(url, log);
  const db = openDatabase(url, log, {
    connections,
    onAway: () => follower?.markUnreachable(),
  });
  const sql = createPostgresRunner(db);
  const evidence = createEvidenceStore(sql);
  const keys = createCachedKeyStore(sql);
  const scoring = createScoringStore(sql, {
    evidence,
    async openSnapshot() {
      const { rows, arrays, end } = (await db.openSnapshot('SELECT 1')).snapshot;
      return readEvidenceSnapshot({ rows, arrays, close: end });
    },
    writeScores,
    unsummed: UNSUMMED,
  });
  const writers: PostgresWriter[] = [];
  let serving: Promise<{ readonly follower: Follower; readonly reads: Reads }> | undefined;
  let follower: Follower | undefined;
  /** Only a service needs it. */
  let size: Size | undefined;
  let copy: Promise<Database | undefined> | undefined;
  let isClosed = false;

  async function serve(): Promise<{ readonly follower: Follower; readonly reads: Reads }> {
    const lost = () => follower?.pollSoon();
    if (readUrl !== undefined) copy ??= openCopy(readUrl, log);
    const startedAt = performance.now();
    const [start, readable] = await Promise.all([loadStandings(url), copy]);
    const reads = createReads(db, readable, lost, log);
    if (isClosed) throw new Error('the store was closed while it was loading');
    follower = followPostgres({ url, reads, start, startedAt, log });
    await follower.begin();
    return { follower, reads };
  }

  return {
    isShared: true,
    async openSource(readRules, clocks) {
      serving ??= serve();
      serving.catch(() => {
        serving = undefined;
      });
      const { follower, reads } = await serving;
      const titles = new RuleTitles(scoring, readRules);
      return createSource({ follower, rows: openRows(reads), titles, thresholds, clocks });
    },
    serve() {
      if (size !== undefined) return;
      size = watchSize(db, log);
      void warnOfLeftOver(db, log);
    },
    openWriter() {
      const writer = createWriter(db, url, log);
      writers.push(writer);
      return writer;
    },
    // We know nothing about processes on the Postgres server's machine.
    isServed: () => false,
    keys,
    links: createLinkStoreBesideKeys(sql, keys),
    gating: createGateStore(sql),
    cardStyles: createCardStyleStore(sql),
    connections: createConnectionStore(sql),
    scoring,
    evidence,
    work: createWorkStore(db),
    inbox: createInboxStore(db),
    pruneChanges: (kept, now) => sql.transact(() => pruneFeed(kept, now)),
    webhooks: createWebhookStore(sql),
    async refresh() {
      await follower?.catchUp();
    },
    markUnscored(cause, isUnscored) {
      follower?.freshness.markUnscored(cause, isUnscored);
    },
    markPartial(isPartial) {
      if (follower !== undefined) follower.freshness.isPartial = isPartial;
    },
    figures(): StoreFigures {
      return {
        wallets: follower?.shown.standings.users() ?? 0,
        activities: follower?.shown.position.seq ?? 0,
        lagSeconds: follower?.freshness.lagSeconds ?? 0,
        isStuck: follower?.freshness.isSuspect ?? false,
        bytes: size?.bytes ?? 0,
        lastImportAt: follower?.lastCommitAt || undefined,
      };
    },
    check: () => requireWritable(db),
    async close() {
      isClosed = true;
      size?.stop();
      const ending = [
        follower?.close(),
        ...writers.map((writer) => writer.close()),
        db.close(),
        copy?.then((each) => each?.close()),
      ];
      // A frozen server doesn't complete the handshake.
      const all = Promise.allSettled(ending);
      await within(all, CLOSE_MS);
    },
  };
}

/** Returns none for a transaction pooler; a replica that is down may come back. */
async function openCopy(url: string, log: Logger): Promise<Database | undefined> {
  if (await isPooled(url, COPY_LIMITS).catch(() => false)) {
    log.warn({}, `Not using the read replica: ${pooled(url).message}`);
    return undefined;
  }
  return openDatabase(url, log);
}

async function requireWritable(db: Database): Promise<void> {
  const asked = db.rows(`SELECT current_setting('transaction_read_only') AS is_read_only`);
  const [row] = await withinAwake(asked, CHECK_MS, () => {
    throw new RetryableError(`${db.name} isn't responding.`);
  });
  if (row?.is_read_only === 'off') return;
  throw readOnlyError(db.name);
}

async function warnOfLeftOver(db: Database, log: Logger): Promise<void> {
  try {
    if ((await db.rows(PUT_ASIDE_SQL))[0]?.is_there === true) log.warn({}, LEFT_OVER);
  } catch (error) {
    log.debug({ error: messageOf(error) }, 'could not look for what a restore has left');
  }
}

/** How often the size is queried. */
const ASK_MS = 60_000;

const SIZE_SQL = `
  SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint AS bytes
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = '${SCHEMA}' AND relkind = 'r'`;

/** The recent size of our tables with their indexes. */
interface Size {
  readonly bytes: number;
  stop(): void;
}

function watchSize(db: Database, log: Logger): Size {
  let bytes = 0;
  const upkeep = new Upkeep({
    everyMs: ASK_MS,
    async work() {
      bytes = Number((await db.rows(SIZE_SQL))[0]?.bytes ?? 0);
    },
    onError: (error) =>
      log.debug({ error: messageOf(error) }, 'could not read the size of the database'),
  });
  void upkeep.begin();
  return {
    get bytes() {
      return bytes;
    },
    stop: () => void upkeep.stop(),
  };
}
