import type { ActivityColumns } from '#core/activity-columns';
import type { ImportedEvent, LedgerBatch, LedgerCorrection } from '#core/ports';
import type { TierThresholds } from '#core/tier';
import type { PackedError } from './thread-errors.ts';

/** What the two threads of an import say to each other. */

/** What the thread of the ledger is started with. */
export interface LedgerThreadData {
  readonly databaseUrl: string;
  readonly thresholds: TierThresholds;
}

/** A question; every one is answered once. */
export type Question =
  | { readonly ask: 'knownBadges' | 'commit' | 'confirm' | 'finish' }
  | { readonly ask: 'stage'; readonly part: PackedBatch }
  | { readonly ask: 'stageCorrections'; readonly corrections: readonly LedgerCorrection[] }
  | {
      readonly ask: 'compare';
      readonly activities: ActivityColumns;
      readonly corrections: readonly LedgerCorrection[];
    }
  | { readonly ask: 'compareEvents'; readonly events: readonly ImportedEvent[] };

export type Answer = { readonly value: unknown } | { readonly error: PackedError };

/** Its number tells which answer belongs to it. */
export type Request = Question & { readonly number: number };
export type Reply = Answer & { readonly number: number };

/** A part of a batch as it crosses. */
export interface PackedBatch extends Omit<LedgerBatch, 'activities'> {
  readonly activities: ActivityColumns;
}
