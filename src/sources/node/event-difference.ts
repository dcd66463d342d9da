import type { SourceEvent } from '#scoring';
import { type Difference, listDifference } from './disagreement.ts';

/** What differs between the events that two nodes gave. @param at see `listDifference` */
export function eventDifference(
  one: readonly SourceEvent[],
  other: readonly SourceEvent[],
  at: (first: number, last: number) => string,
): Difference | undefined {
  if (JSON.stringify(one) === JSON.stringify(other)) return undefined;
  return listDifference(listed(one), listed(other), { thing: 'event', at });
}

/** Several events may share a place, as one transfer changes two balances. */
function listed(events: readonly SourceEvent[]) {
  return events.map((event) => {
    const { height, place, input, wallet } = event;
    return {
      height,
      key: `${height} ${place} ${input} ${wallet.address}`,
      text: JSON.stringify(event),
    };
  });
}
