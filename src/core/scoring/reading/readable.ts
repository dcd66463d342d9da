import type { SourceKind } from '#core/scoring/model';

/** Kinds of sources that this version reads; rules about others can be checked only. */
export const READABLE: ReadonlySet<SourceKind> = new Set(['evm', 'solana', 'algorand']);
