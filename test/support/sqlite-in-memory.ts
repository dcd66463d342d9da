/** Stands in for SQLite where files of databases are refused; see only-memory.ts. */
export * from 'node:sqlite';
export { DatabaseInMemory as DatabaseSync } from './only-memory.ts';
