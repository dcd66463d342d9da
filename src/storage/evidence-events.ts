import type { ImportedEvent } from '#reputation';
import { IMPORT } from '#scoring';

/** What all stores share about imported events. */

/** How much was added to the source that all imports form. */
export interface AddedEvidence {
  readonly source: typeof IMPORT;
  readonly events: number;
  /** Seconds since 1970. */
  readonly newest: number;
}

export function addedEvidence(events: readonly ImportedEvent[]): AddedEvidence {
  const newest = events.reduce((most, { timestamp }) => Math.max(most, timestamp), 0);
  return { source: IMPORT, events: events.length, newest };
}
