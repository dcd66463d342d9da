/** Ranks of all wallets, in memory. */

export { grown, type NumberedBadge } from './badges.ts';
export { AddressTable } from './lookup-tables.ts';
export type { ScoreSnapshot } from './score-snapshot.ts';
export { Standings } from './standings.ts';
export { TEXT_END, TextArena } from './text-arena.ts';
