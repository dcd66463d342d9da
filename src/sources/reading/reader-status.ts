import type { SourcePosition } from '#scoring';

/** The state of reading a source, for operators. */
export interface ReaderStatus {
  readonly state: 'starting' | 'standby' | 'reading' | 'following' | 'waiting' | 'stopped';
  /** The position that all wanted inputs have reached. */
  readonly position: SourcePosition | undefined;
  /** The newest final position. */
  readonly end: SourcePosition | undefined;
  /** Heights per second. */
  readonly pace: number | undefined;
  /** Seconds to the end at that pace. */
  readonly remainingSeconds: number | undefined;
  /** Events left out since the start because they name no wallet or don't fit what a rule declares. */
  readonly leftOut: number;
  /** Balances of live rules that aren't the chain's, so that they give no points. */
  readonly refused: number;
  /** Why it waits or has stopped, as a sentence. */
  readonly words: string | undefined;
}
