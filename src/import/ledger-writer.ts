import { type MaybePromise, RetryableError } from '#base';
import type {
  ActivityColumns,
  ActivityContent,
  BadgeDefinition,
  ImportedEvent,
  LedgerActivity,
  LedgerCorrection,
} from '#reputation';
import type { Wallet } from '#wallet';
import { differsFromEarlier, eventDiffersFromEarlier } from './differences.ts';
import type { RefusalCode } from './refusal.ts';

/** Input for the ledger. Later entries win over earlier ones. */
export interface LedgerBatch {
  readonly badges: readonly BadgeDefinition[];
  readonly names: readonly { readonly wallet: Wallet; readonly displayName: string }[];
  readonly activities: readonly LedgerActivity[];
  /** Evidence for the rules; of two that differ the earlier stays. */
  readonly events?: readonly ImportedEvent[];
}

export interface LedgerCommit {
  /** New rows in the ledger: activities, and adjustments of corrections. */
  readonly added: number;
  /** Activities and corrections the ledger already had. */
  readonly known: number;
  /** Rejected entries; missing if all were accepted. */
  readonly refused?: readonly LedgerRefusal[];
  /** Missing if no events were staged. */
  readonly events?: EventCommit;
}

/** The outcome of a commit's events. */
export interface EventCommit {
  readonly added: number;
  readonly known: number;
  /** By their index among the staged events. */
  readonly refused: readonly LedgerRefusal[];
}

/** A staged entry that the ledger rejects. */
export interface LedgerRefusal {
  /** Index among the activities staged since the last commit, then the corrections. */
  readonly place: number;
  readonly code: RefusalCode;
  /** For people. */
  readonly reason: string;
}

/** The only way into the ledger. */
export interface LedgerWriter {
  /** Ids of all badges in the ledger. */
  knownBadges(): MaybePromise<Set<string>>;
  /** Stages input for the next commit; it's in memory until then. */
  stage(part: LedgerBatch): MaybePromise<void>;
  /** The same for activities in columns, for writers that store them so. */
  stageColumns?(activities: ActivityColumns): MaybePromise<void>;
  /** Stages corrections of committed activities. Of several for the same one the last wins. */
  stageCorrections(corrections: readonly LedgerCorrection[]): MaybePromise<void>;
  /** What the ledger would reject now; writes nothing. */
  compare(
    activities: readonly LedgerActivity[],
    corrections: readonly LedgerCorrection[],
  ): MaybePromise<readonly LedgerRefusal[]>;
  /** Which events differ from known ones; writes nothing. */
  compareEvents(events: readonly ImportedEvent[]): MaybePromise<readonly LedgerRefusal[]>;
  /**
   * Writes everything staged in one transaction.
   * @throws RetryableError if the store is locked or its disk is full; everything stays staged, so
   *   commit again to retry. UserError `commits-lost` if earlier commits are gone. After any other
   *   error the staged input is gone.
   */
  commit(): MaybePromise<LedgerCommit>;
  /**
   * Call after the last commit: verifies that all commits are still there.
   * @throws UserError `commits-lost`, for example after a failover; RetryableError if that's
   *   unknown now
   */
  confirm(): MaybePromise<void>;
  /** Call at the end: finishes deferred work and closes the writer. */
  finish(): MaybePromise<void>;
}

/** An id's first ten characters are 50 bits, the rest 30. */
const LEFT = 10;
const BASE = 32;
const FIRST_SLOTS = 1 << 12;

/**
 * Activities seen so far, with a hash of their content, to check an input as a whole before writing
 * anything. 16 bytes per slot, off the heap.
 */
class SeenActivities {
  #left = new Float64Array(FIRST_SLOTS).fill(-1);
  #right = new Uint32Array(FIRST_SLOTS);
  #content = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  has(id: string): boolean {
    return this.#left[this.#slotOf(leftOf(id), rightOf(id))] !== -1;
  }

  /** Records an activity. @returns false if it was seen before with different content */
  add(id: string, content: ActivityContent): boolean {
    const [left, right, hash] = [leftOf(id), rightOf(id), hashOf(content)];
    const slot = this.#slotOf(left, right);
    if (this.#left[slot] !== -1) return this.#content[slot] === hash;
    this.#set(slot, left, right, hash);
    this.#size += 1;
    if (this.#size * 3 > this.#left.length * 2) this.#grow();
    return true;
  }

  #set(slot: number, left: number, right: number, hash: number): void {
    this.#left[slot] = left;
    this.#right[slot] = right;
    this.#content[slot] = hash;
  }

  /** Its slot, or the free slot where it belongs. */
  #slotOf(left: number, right: number): number {
    const mask = this.#left.length - 1;
    for (let slot = right & mask; ; slot = (slot + 1) & mask) {
      const there = this.#left[slot];
      if (there === -1 || (there === left && this.#right[slot] === right)) return slot;
    }
  }

  #grow(): void {
    const [lefts, rights, contents] = [this.#left, this.#right, this.#content];
    this.#left = new Float64Array(lefts.length * 2).fill(-1);
    this.#right = new Uint32Array(lefts.length * 2);
    this.#content = new Uint32Array(lefts.length * 2);
    for (const [old, left] of lefts.entries()) {
      const right = rights[old] as number;
      if (left !== -1) this.#set(this.#slotOf(left, right), left, right, contents[old] as number);
    }
  }
}

function leftOf(id: string): number {
  return Number.parseInt(id.slice(0, LEFT), BASE);
}

function rightOf(id: string): number {
  return Number.parseInt(id.slice(LEFT), BASE);
}

/** FNV-1a: a collision has a chance of one in four billion. */
function hashOf({ description, points, timestamp, badge }: ActivityContent): number {
  const text = `${points} ${timestamp} ${badge ?? ''} ${description}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/** Activities per comparison with the ledger. */
const AT_ONCE = 5_000;

/** Entries with their index among the staged ones. */
interface Pending<T> {
  readonly items: T[];
  readonly places: number[];
}

/**
 * A writer that stores nothing, to validate an input.
 * @param ledger what to check against, besides the input itself
 */
export function createCheckingWriter(
  ledger: Pick<LedgerWriter, 'knownBadges' | 'compare' | 'compareEvents'>,
): LedgerWriter {
  const seen = new SeenActivities();
  let activities: Pending<LedgerActivity> = { items: [], places: [] };
  let corrections: Pending<LedgerCorrection> = { items: [], places: [] };
  /** Entries staged since the last commit. */
  let staged = 0;
  let refused: LedgerRefusal[] = [];
  let events: Pending<ImportedEvent> = { items: [], places: [] };
  let stagedEvents = 0;
  let refusedEvents: LedgerRefusal[] = [];

  async function compareEvents(): Promise<void> {
    if (events.items.length === 0) return;
    const { items, places } = events;
    const found = await ledger.compareEvents(items);
    refusedEvents.push(...found.map((each) => ({ ...each, place: places[each.place] as number })));
    events = { items: [], places: [] };
  }

  async function compare(): Promise<void> {
    if (activities.items.length + corrections.items.length === 0) return;
    const found = await ledger.compare(activities.items, corrections.items);
    const places = [...activities.places, ...corrections.places];
    refused.push(...found.map((each) => ({ ...each, place: places[each.place] as number })));
    activities = { items: [], places: [] };
    corrections = { items: [], places: [] };
  }

  /** What can't be compared now is compared later, at the latest on commit. */
  async function compareMany(): Promise<void> {
    const isMany = activities.items.length + corrections.items.length >= AT_ONCE;
    if (isMany) await compare().catch(requireRetryable);
    if (events.items.length >= AT_ONCE) await compareEvents().catch(requireRetryable);
  }

  function stageEvents(all: readonly ImportedEvent[]): void {
    for (const event of all) {
      const place = stagedEvents++;
      const { id, timestamp, args } = event;
      const content = { description: args, points: 0, timestamp, badge: undefined };
      if (!seen.add(id, content)) refusedEvents.push({ place, ...eventDiffersFromEarlier() });
      events.items.push(event);
      events.places.push(place);
    }
  }

  return {
    knownBadges: () => ledger.knownBadges(),
    async stage(part) {
      for (const activity of part.activities) {
        const { id } = activity;
        const place = staged++;
        if (!seen.add(id, activity)) refused.push({ place, ...differsFromEarlier(id) });
        activities.items.push(activity);
        activities.places.push(place);
      }
      stageEvents(part.events ?? []);
      await compareMany();
    },
    async stageCorrections(all) {
      for (const correction of all) {
        const place = staged++;
        // Entries of this input will exist by then.
        if (seen.has(correction.corrects)) continue;
        corrections.items.push(correction);
        corrections.places.push(place);
      }
      await compareMany();
    },
    compare: () => [],
    async compareEvents(all) {
      const earlier = all.flatMap(({ id }, place) =>
        seen.has(id) ? [{ place, ...eventDiffersFromEarlier() }] : [],
      );
      return [...earlier, ...(await ledger.compareEvents(all))];
    },
    async commit() {
      await compare();
      await compareEvents();
      const all = onceEach(refused);
      const known = staged - all.length;
      const allEvents = onceEach(refusedEvents);
      const knownEvents = stagedEvents - allEvents.length;
      staged = 0;
      refused = [];
      stagedEvents = 0;
      refusedEvents = [];
      const eventCommit = { added: 0, known: knownEvents, refused: allEvents };
      return { added: 0, known, refused: all, events: eventCommit };
    },
    confirm: () => undefined,
    finish: () => undefined,
  };
}

/** Sorted by index; of several with the same index the last. */
function onceEach(refused: readonly LedgerRefusal[]): LedgerRefusal[] {
  const byPlace = new Map(refused.map((each) => [each.place, each]));
  return [...byPlace.values()].toSorted((a, b) => a.place - b.place);
}

function requireRetryable(error: unknown): void {
  if (!(error instanceof RetryableError)) throw error;
}
