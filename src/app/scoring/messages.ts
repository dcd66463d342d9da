import type { LogFields } from '#base';
import type { WorkHealths } from '#cluster';
import type { TierThresholds } from '#reputation';
import type { ScoringPart, ScoringState } from './engine.ts';

/** The thread's `workerData`. */
export interface ScoringThreadData {
  readonly databaseUrl: string;
  /** The id of the replica that it's a part of. */
  readonly replica: string;
  readonly thresholds: TierThresholds;
  readonly path: string | undefined;
  /** Where the thread counts its heartbeats. */
  readonly counter: SharedArrayBuffer;
}

/** Messages from the thread. */
export type ScoringMessage =
  | { readonly kind: 'state'; readonly state: ScoringState }
  | { readonly kind: 'refresh' }
  | {
      readonly kind: 'report';
      readonly part: ScoringPart;
      readonly healths: WorkHealths;
      /** Whether a source of the live rules is far from its end. */
      readonly isPartial?: boolean;
    }
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly fields: LogFields;
      readonly message: string;
    };

/** The only message to the thread. */
export const STOP = 'stop';
