import { RetryableError } from '#base';
import type { ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation';
import { differsFromEarlier, eventDiffersFromEarlier } from './differences.ts';
import type { LedgerRefusal, LedgerWriter } from './ledger-writer.ts';
import { SeenActivities } from './seen-activities.ts';

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
