/** Opens the database. */

export { openStore, type StoreOptions } from './open-store.ts';
export { HOW_TO_TAKE_OVER, isBeforeBaseline, newestVersion } from './sql/migration-plan.ts';
export type { DiskFault, Store, StoreFigures } from './store.ts';
export { PROGRAM_VERSION } from './tables/migrations.ts';
