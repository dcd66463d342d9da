import { monotonicMs } from '#base';
import type { SourceEvent } from '#scoring';
import type { RangeAnswer } from './log.ts';
import type { ReadAhead } from './node/read-ahead.ts';

/** Events that are enough for one commit: while it's written, other writers wait. */
const ENOUGH = 10_000;
/** How long to wait for as many. */
const WAIT_MS = 500;

/** What a range was read for. Its logs would take several times the memory until it's written. */
export interface EventRange extends Omit<RangeAnswer, 'logs'> {
  readonly events: readonly SourceEvent[];
  /** How many logs didn't fit what an input declares, by input. */
  readonly leftOut: readonly number[];
}

/**
 * A range, with those behind it that are being read anyway: a commit touches pages all over the evidence, so one
 * for several ranges costs far less.
 */
export async function gathered(
  first: EventRange,
  ahead: ReadAhead<EventRange>,
  upTo: number,
): Promise<EventRange> {
  const until = monotonicMs() + WAIT_MS;
  const events = [...first.events];
  const leftOut = [...first.leftOut];
  let { last } = first;
  while (events.length < ENOUGH) {
    const next = await ahead.soon(upTo, until);
    if (next === undefined) break;
    if (next.before?.hash !== last.hash) {
      // Read again from here, it shows whether what was final has changed.
      ahead.end();
      break;
    }
    for (const event of next.events) events.push(event);
    for (const [place, count] of next.leftOut.entries()) {
      leftOut[place] = (leftOut[place] ?? 0) + count;
    }
    last = next.last;
  }
  return { before: first.before, last, events, leftOut };
}
