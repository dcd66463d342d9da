/** The database: opens it, keeps the ledger and scores, and answers what every feature asks of it. */

import { type Logger, UserError } from '#base';
import type { TierThresholds } from '#reputation';
import type { Ledger, Store } from './store.ts';

export { CONNECTIONS } from './postgres/connections.ts';
export type { DiskFault, Ledger, Store, StoreFigures } from './store.ts';
export {
  HOW_TO_TAKE_OVER,
  isBeforeBaseline,
  newestVersion,
  PROGRAM_VERSION,
} from './tables/migrations.ts';

export interface StoreOptions {
  readonly thresholds: TierThresholds;
  readonly log: Logger;
  /** A read replica that may answer queries, for stores that support one. */
  readonly readUrl?: string | undefined;
  /** The most connections for queries, for stores that need any. */
  readonly connections?: number | undefined;
}

type Opener = (location: string, options: StoreOptions) => Promise<Store>;

/** Opener by URL scheme. A store's code and driver are loaded when it is first opened. */
const OPENERS: Record<string, Opener> = {
  sqlite: async (location, options) =>
    (await import('./sqlite/open.ts')).openSqliteStore(location, options),
  postgres: openPostgres,
  postgresql: openPostgres,
};

async function openPostgres(location: string, options: StoreOptions): Promise<Store> {
  const { openPostgresStore } = await import('./postgres/open.ts');
  return openPostgresStore(`postgres:${location}`, options);
}

/**
 * Opens the store that a DATABASE_URL names: `sqlite:PATH`, `sqlite::memory:`, or
 * `postgres://USER:PASSWORD@HOST/NAME`.
 * @throws UserError `wrong-configuration`; RetryableError if it is unavailable right now
 */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  const colon = url.indexOf(':');
  const open = OPENERS[url.slice(0, colon)];
  const location = url.slice(colon + 1);
  if (colon < 1 || open === undefined || location === '') {
    throw new UserError(
      'wrong-configuration',
      `DATABASE_URL must begin with ${Object.keys(OPENERS)
        .map((scheme) => `${scheme}:`)
        .join(' or ')} followed by where the data is, for example sqlite:./data/fathom.db`,
    );
  }
  return open(location, options);
}

/**
 * Opens what an import needs. With a file that's a third of a store's code: loading the rest takes a sixth of a small
 * import's time.
 * @throws as `openStore`
 */
export async function openLedger(url: string, options: StoreOptions): Promise<Ledger> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file === undefined) return await openStore(url, options);
  const { openSqliteLedger } = await import('./sqlite/ledger/writer.ts');
  return openSqliteLedger(file, options.log);
}
