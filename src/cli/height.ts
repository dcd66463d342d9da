import { formatTime } from '#base';
import type { Source } from '#scoring';

/** A height for people: Snapshot's are seconds since 1970. */
export function heightText({ kind }: Pick<Source, 'kind'>, height: number): string {
  return kind === 'snapshot' ? formatTime(height) : String(height);
}
