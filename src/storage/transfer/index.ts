/** Moves everything from one store to another. */

export { countRows, findStore, type StoreLocation, type TableCopy, transfer } from './transfer.ts';
