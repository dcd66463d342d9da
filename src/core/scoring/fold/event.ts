import type { Wallet } from '#core/wallet';

/** Integers are bigint, addresses canonical, bytes hex digits in lower case behind 0x. */
export type ArgumentValue = string | bigint | boolean;

/** What an event says, by name. */
export interface Arguments {
  get(name: string): ArgumentValue | undefined;
}

/** What happened, as it is kept: once, whatever the rules. */
export interface EvidenceEvent {
  /**
   * The first part of its place in its source: block, slot, round, end of a proposal, or time of an
   * imported event.
   */
  readonly height: number;
  /** The rest of its place; texts are in the order of their code points. */
  readonly place: string;
  readonly wallet: Wallet;
  /** Seconds since 1970: the time of its block; of a vote, when it was cast. */
  readonly time: number;
  /**
   * Seconds since 1970: when it came to count, which never goes back within a source. It is `time`,
   * but for votes, which count from the end of their proposal.
   */
  readonly settled: number;
  readonly args: Arguments;
}

/** Sorts events into canonical order, most of which are in it already. */
export function sortEvents(events: EvidenceEvent[]): void {
  for (let i = 1; i < events.length; i += 1) {
    if (compareEvents(events[i - 1] as EvidenceEvent, events[i] as EvidenceEvent) > 0) {
      events.sort(compareEvents);
      return;
    }
  }
}

/** The canonical order of events within a source. */
export function compareEvents(
  one: Pick<EvidenceEvent, 'height' | 'place'>,
  other: Pick<EvidenceEvent, 'height' | 'place'>,
): number {
  return one.height - other.height || compareText(one.place, other.place);
}

/** By code points, which is the order of the bytes of UTF-8; JavaScript's own is that of UTF-16. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === length) return one.length - other.length;
  const a = one.charCodeAt(at);
  const b = other.charCodeAt(at);
  // A half of a pair stands for a character beyond all that one unit can hold.
  const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
  return rank(a) - rank(b);
}

/** A value as conditions and `once` compare it: 7 and "7" are one. */
export function textOf(value: ArgumentValue): string {
  return typeof value === 'string' ? value : String(value);
}
