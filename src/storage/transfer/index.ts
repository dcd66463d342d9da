/** Moves everything from one store to another. */

export { findStore, type StoreLocation } from './find-store.ts';
export { countRows, type TableCopy, transfer } from './transfer.ts';
