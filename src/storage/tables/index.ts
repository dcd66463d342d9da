/** Each table, declared once, and the migrations that led to them. */

export { missingColumns } from './all.ts';
export { MIGRATIONS } from './migrations.ts';
export type { DatabaseKind } from './table.ts';
