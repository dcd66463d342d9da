import type { LogFields } from '#core/logger';
import type { TierThresholds } from '#core/tier';
import type { ScoringState, UnscoredPart } from './engine.ts';

/** What the thread is given. */
export interface ScoringThreadData {
  readonly databaseUrl: string;
  readonly thresholds: TierThresholds;
  readonly path: string | undefined;
}

/** What the thread tells. */
export type ScoringMessage =
  | { readonly kind: 'state'; readonly state: ScoringState }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'mark'; readonly part: UnscoredPart; readonly isUnscored: boolean }
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly fields: LogFields;
      readonly message: string;
    };

/** What it is told, and nothing else is. */
export const STOP = 'stop';
