import type { LedgerBatch } from '#import';
import type { ActivityColumns, ImportedEvent, LedgerCorrection, TierThresholds } from '#reputation';
import type { PackedError } from './thread-errors.ts';

/** Messages between the two threads of an import. */

/** Input of the ledger thread. */
export interface LedgerThreadData {
  readonly databaseUrl: string;
  readonly thresholds: TierThresholds;
}

/** A call; every one is answered once. */
export type LedgerCall =
  | { readonly ask: 'knownBadges' | 'commit' | 'confirm' | 'finish' }
  | { readonly ask: 'stage'; readonly part: PackedBatch }
  | { readonly ask: 'stageCorrections'; readonly corrections: readonly LedgerCorrection[] }
  | {
      readonly ask: 'compare';
      readonly activities: ActivityColumns;
      readonly corrections: readonly LedgerCorrection[];
    }
  | { readonly ask: 'compareEvents'; readonly events: readonly ImportedEvent[] };

export type LedgerResult = { readonly value: unknown } | { readonly error: PackedError };

/** The number matches replies to requests. */
export type LedgerRequest = LedgerCall & { readonly number: number };
export type LedgerReply = LedgerResult & { readonly number: number };

/** Part of a batch, as sent between threads. */
export interface PackedBatch extends Omit<LedgerBatch, 'activities'> {
  readonly activities: ActivityColumns;
}
