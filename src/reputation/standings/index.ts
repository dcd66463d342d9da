/** Ranks of all wallets, in memory. */

export { AddressTable } from './address-table.ts';
export type { NumberedBadge } from './badge-catalog.ts';
export { grown } from './badge-lists.ts';
export type { ScoreSnapshot } from './score-snapshot.ts';
export { Standings } from './standings.ts';
export { TEXT_END, TextArena } from './text-arena.ts';
