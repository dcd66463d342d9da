import type { ImportedEvent } from '#reputation';
import type { Wallet } from '#wallet';
import { eventId, type Sha256Hex } from './activity-id.ts';

/**
 * Whether an event counts is evidence too: retractions and restorations are kept as events of an input of their own,
 * beside the event that they're about. So they are exported, verified, moved and folded as all evidence is.
 */

/** What their inputs begin with; no event's name does. */
const MARK = '-';

/** The most characters of a retraction's reason; its subject stands before it in a description. */
export const RETRACTION_REASON_MAX = 200;

export type RetractionKind = 'retraction' | 'restoration';

/** What somebody decided about an imported event. */
export interface Retraction {
  readonly kind: RetractionKind;
  readonly wallet: Wallet;
  /** The event's name and source. */
  readonly event: string;
  readonly source: string;
  readonly reason: string;
  /** Seconds since 1970, when it was decided. The newest counts. */
  readonly timestamp: number;
}

/** A retraction as evidence. The same one is the same evidence, however often it's imported. */
export function retractionEvidence(retraction: Retraction, sha256Hex: Sha256Hex): ImportedEvent {
  const { kind, wallet, source, reason, timestamp } = retraction;
  const event = `${MARK}${retraction.event}`;
  const decided = JSON.stringify([kind, source, reason, timestamp]);
  const place = eventId({ wallet, event, source: decided }, sha256Hex);
  const id = eventId({ wallet, event, source: place }, sha256Hex);
  // Keys are sorted, as those of all evidence are.
  const args = JSON.stringify({ kind, reason, source });
  return { id, wallet, event, timestamp, source: place, args };
}

/** The event that evidence of this input decides about; undefined if it is an event itself. */
export function retractedInput(input: string): string | undefined {
  return input.startsWith(MARK) ? input.slice(MARK.length) : undefined;
}

/** Evidence of retractions. */
interface RetractionRow {
  readonly input: string;
  readonly place: string;
  readonly time: number;
  readonly args: string;
}

/** Which of a wallet's imported events are retracted. */
export class Retractions {
  readonly #newest = new Map<string, { row: RetractionRow; kind: unknown; reason: string }>();

  /** @param event that the evidence is about */
  add(event: string, row: RetractionRow): void {
    const { kind, reason, source } = JSON.parse(row.args) as Record<string, string>;
    const key = keyOf(event, source ?? '');
    const before = this.#newest.get(key);
    if (before !== undefined && !isLater(row, before.row)) return;
    this.#newest.set(key, { row, kind, reason: reason ?? '' });
  }

  /** Why an event gives nothing; undefined if it counts. */
  reasonOf(event: string, source: string): string | undefined {
    const newest = this.#newest.get(keyOf(event, source));
    return newest?.kind === 'retraction' ? newest.reason : undefined;
  }
}

function keyOf(event: string, source: string): string {
  return `${event} ${source}`;
}

/** Which of two counts. In the same second either may, but the same one in every order of reading. */
function isLater(one: RetractionRow, other: RetractionRow): boolean {
  return one.time > other.time || (one.time === other.time && one.place > other.place);
}
