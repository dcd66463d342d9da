import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type Logger, ProblemLog, RetryableError } from '#base';
import { MemoryWork } from '#cluster';
import type { TierThresholds } from '#reputation';
import { createCardStyleStore } from '#storage/card-styles';
import { pruneFeed } from '#storage/changes/feed';
import type { Follower } from '#storage/following/follow';
import { createSource } from '#storage/following/source';
import { createGateStore } from '#storage/gating/index';
import { createKeyStore } from '#storage/keys';
import { createLinkStore } from '#storage/links';
import { createConnectionStore } from '#storage/role-connections';
import { createEvidenceStore } from '#storage/scoring/evidence-store';
import { RuleTitles } from '#storage/scoring/rule-titles';
import { createScoringStore } from '#storage/scoring/scoring-store';
import type { DiskFault, Store, StoreFigures } from '#storage/store';
import { createWebhookStore } from '#storage/webhooks';
import { MEMORY, openDatabase } from './database.ts';
import { requireUndamaged, translatingErrors, whyNotWritable } from './file/errors.ts';
import { realFile } from './file/owner.ts';
import { dropLeftCopy } from './file/restore.ts';
import { createPageScrubber } from './file/scrub.ts';
import { WalCheckpoints } from './file/wal-checkpoints.ts';
import { followSqlite, openRows } from './following.ts';
import { createWriter } from './ledger/writer.ts';
import { createSqliteRunner } from './runner.ts';
import { createScores, openEvidenceSnapshot } from './scoring.ts';
import { createInboxStore, isServed, markServed } from './serving.ts';
import { allWritten } from './write-turns.ts';

export interface SqliteOptions {
  readonly thresholds: TierThresholds;
  readonly log: Logger;
}

/**
 * Opens the store in a file, or in memory for `:memory:`.
 * @throws UserError `wrong-configuration`, RetryableError; see `openDatabase`
 */
export function openSqliteStore(file: string, options: SqliteOptions): Store {
  return createSqliteStore(openDatabase(file, options.log), file, options);
}

/** The store in an open, migrated database. */
export function createSqliteStore(
  db: DatabaseSync,
  file: string,
  { thresholds, log }: SqliteOptions,
): Store {
  const sql = createSqliteRunner(db, file);
  const links = createLinkStore(sql);
  const evidence = createEvidenceStore(sql);
  const checkpoints = new WalCheckpoints(db, file, log);
  const scrubber = createPageScrubber(db, file, log, checkpoints);
  let follower: Follower | undefined;
  let leave = () => {};
  let disk: DiskWatch | undefined;
  const scoring = createScoringStore(sql, {
    evidence,
    openSnapshot: () => openEvidenceSnapshot(db, file),
    writeScores: createScores(db, sql.dialect).write,
    unsummed: undefined,
  });
  const lastBatch = db.prepare('SELECT max(committed_at) AS at FROM batch');

  async function refresh(): Promise<void> {
    await follower?.catchUp();
  }

  return {
    isShared: false,
    async openSource(readRules, clocks) {
      follower = await followSqlite(db, file, log);
      const titles = new RuleTitles(scoring, readRules);
      return createSource({ follower, rows: openRows(db, file), titles, thresholds, clocks });
    },
    serve() {
      leave = markServed(file);
      dropLeftCopy(file, log);
      if (file === MEMORY) return;
      disk ??= watchDisk(realFile(file), log);
      checkpoints.begin();
    },
    openWriter: () => createWriter(db, file),
    isServed: () => follower !== undefined || isServed(file),
    keys: createKeyStore(sql),
    links: {
      ...links,
      async erase(account, holdUntil) {
        await links.erase(account, holdUntil);
        await scrubber.erased();
      },
      async prune(now) {
        const count = await links.prune(now);
        if (count > 0) await scrubber.erased();
        return count;
      },
    },
    gating: createGateStore(sql),
    cardStyles: createCardStyleStore(sql),
    connections: createConnectionStore(sql),
    scoring,
    evidence,
    // One process serves from a file, so claims end with it.
    work: new MemoryWork(),
    inbox: createInboxStore(db, file),
    async pruneChanges(kept, now) {
      try {
        return await sql.transact(() => pruneFeed(kept, now));
      } catch (error) {
        // Somebody else is writing.
        if (error instanceof RetryableError) return false;
        throw error;
      }
    },
    webhooks: createWebhookStore(sql),
    refresh,
    markUnscored(cause, isUnscored) {
      follower?.freshness.markUnscored(cause, isUnscored);
    },
    markPartial(isPartial) {
      if (follower !== undefined) follower.freshness.isPartial = isPartial;
    },
    figures(): StoreFigures {
      const at = lastBatch.get()?.at;
      return {
        wallets: follower?.shown.standings.users() ?? 0,
        activities: follower?.shown.position.seq ?? 0,
        lagSeconds: follower?.freshness.lagSeconds ?? 0,
        isStuck: follower?.freshness.isSuspect ?? false,
        bytes: file === MEMORY ? 0 : sizeOf(file) + sizeOf(`${realFile(file)}-wal`),
        lastImportAt: typeof at === 'number' ? at : undefined,
        diskFault: disk?.fault,
      };
    },
    check() {
      requireUndamaged(file);
      translatingErrors(file, () => lastBatch.get());
    },
    async close() {
      disk?.end();
      await follower?.close();
      await allWritten(db);
      await checkpoints.end();
      leave();
      scrubber.close();
      db.close();
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const EVERY_MS = 15_000;

/** Other obstacles, such as a lack of file descriptors, aren't the disk's. */
const FAULTS: ReadonlyMap<unknown, DiskFault> = new Map([
  ['EROFS', { is: 'read-only', isFailing: true }],
  ['EIO', { is: 'failing', isFailing: true }],
  ['ENOSPC', { is: 'full', isFailing: false }],
  ['EDQUOT', { is: 'full', isFailing: false }],
]);

/** What keeps a file's disk from being written, as of the last look. */
interface DiskWatch {
  readonly fault: DiskFault | undefined;
  end(): void;
}

/** Looks now and then whether a file's disk can be written: reading goes on without a word where it can't. */
export function watchDisk(file: string, log: Logger, obstacle = whyNotWritable): DiskWatch {
  const trouble = new ProblemLog(log);
  let fault: DiskFault | undefined;
  const check = () => {
    const found = obstacle(file);
    fault = FAULTS.get(found?.code);
    if (fault === undefined) trouble.resolve('the database can be written again');
    else {
      const fields = { reason: found?.reason };
      const text = "the database can't be written: what members and moderators do is refused";
      trouble.report(fault.is, 'error', fields, text);
    }
  };
  check();
  const timer = setInterval(check, EVERY_MS).unref();
  return {
    get fault() {
      return fault;
    },
    end: () => clearInterval(timer),
  };
}
