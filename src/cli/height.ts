import type { Source } from '#core/scoring/model';
import { formatTime } from '#core/time';

/** A height for people: Snapshot's are seconds since 1970. */
export function heightText({ kind }: Pick<Source, 'kind'>, height: number): string {
  return kind === 'snapshot' ? formatTime(height) : String(height);
}
