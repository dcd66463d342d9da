import { messageOf, RetryableError, UserError, type UserErrorCode } from '#base';
import type { LedgerBatch } from '#import';
import type { ActivityColumns, ImportedEvent, LedgerCorrection, TierThresholds } from '#reputation';

/** An error in a form that survives `postMessage`, which would lose its class. */
export type PackedError =
  | { readonly kind: 'user'; readonly message: string; readonly code: UserErrorCode }
  | { readonly kind: 'retryable'; readonly message: string; readonly retryAfter: number }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string | undefined };

export function packError(error: unknown): PackedError {
  const message = messageOf(error);
  if (error instanceof UserError) return { kind: 'user', message, code: error.code };
  if (error instanceof RetryableError) {
    return { kind: 'retryable', message, retryAfter: error.retryAfter };
  }
  return { kind: 'bug', message, stack: error instanceof Error ? error.stack : undefined };
}

export function unpackError(packed: PackedError): Error {
  switch (packed.kind) {
    case 'user':
      return new UserError(packed.code, packed.message);
    case 'retryable':
      return new RetryableError(packed.message, { retryAfter: packed.retryAfter });
    case 'bug': {
      const error = new Error(packed.message);
      if (packed.stack !== undefined) error.stack = packed.stack;
      return error;
    }
  }
}

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
