import { DAY_SECONDS, formatTime, RetryableError, wallSeconds } from '#base';
import type { ReadStretch } from '#sources/source';

/**
 * Refuses what nodes date more than a day ahead, as imports do: it would give points for days to come.
 * @throws RetryableError
 */
export function requirePast(source: string, { events, end }: ReadStretch): void {
  const latest = wallSeconds() + DAY_SECONDS;
  const isAhead = ({ time }: { readonly time: number }) => time > latest;
  const ahead = events.find(isAhead) ?? (isAhead(end) ? end : undefined);
  if (ahead === undefined) return;
  throw new RetryableError(
    `The nodes of ${source} date block ${ahead.height} ${formatTime(ahead.time)}, more than a day ahead of the system clock. Nothing of it counts. Check the nodes and the clock.`,
  );
}
