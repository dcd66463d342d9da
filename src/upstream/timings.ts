import type { Urgency } from '#core/ports';

/** How long what is waited for, in milliseconds of real time. */
export interface Timings {
  /** For a connection. */
  readonly connectMs: number;
  /** For a whole request, from connecting to the last byte. */
  readonly requestMs: number;
  /** By one who has nothing to see, in all. */
  readonly patienceMs: Readonly<Record<Urgency, number>>;
  /** By one who could see something old. */
  readonly shortPatienceMs: number;
}

export const TIMINGS: Timings = {
  connectMs: 3_000,
  requestMs: 4_000,
  patienceMs: { interactive: 5_000, visitor: 5_000, background: 60_000 },
  shortPatienceMs: 1_500,
};
