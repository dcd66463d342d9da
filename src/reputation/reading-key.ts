import type { Reading } from './reputation-source.ts';

/** What shows a reading depends on: its data, and what is said about that. */
export function readingKey({ revision, isStale, isPartial }: Reading): string {
  return `${revision}${isStale ? ' stale' : ''}${isPartial === true ? ' partial' : ''}`;
}
