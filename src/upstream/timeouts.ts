import type { Urgency } from '#reputation';

/** Timeouts in milliseconds. */
export interface UpstreamTimeouts {
  /** To connect. */
  readonly connectMs: number;
  /** For the whole request, from connecting to the last byte. */
  readonly requestMs: number;
  /** How long a caller waits if nothing is cached. */
  readonly patienceMs: Readonly<Record<Urgency, number>>;
  /** How long a caller waits if there's stale data to fall back on. */
  readonly shortPatienceMs: number;
}

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 3_000,
  requestMs: 4_000,
  patienceMs: { interactive: 5_000, visitor: 5_000, background: 60_000 },
  shortPatienceMs: 1_500,
};
