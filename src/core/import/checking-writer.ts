import { RetryableError } from '#core/errors';
import type { LedgerActivity, LedgerCorrection, LedgerRefusal, LedgerWriter } from '#core/ports';
import { differsFromEarlier } from './differences.ts';
import { SeenActivities } from './seen-activities.ts';

/** Activities that are compared with the ledger at a time. */
const AT_ONCE = 5_000;

/** Things with their places among what was staged. */
interface Pending<T> {
  readonly items: T[];
  readonly places: number[];
}

/**
 * A writer that keeps nothing, so that an import into it only checks the input.
 * @param ledger what it is checked against, beside the input itself
 */
export function createCheckingWriter(
  ledger: Pick<LedgerWriter, 'knownBadges' | 'compare'>,
): LedgerWriter {
  const seen = new SeenActivities();
  let activities: Pending<LedgerActivity> = { items: [], places: [] };
  let corrections: Pending<LedgerCorrection> = { items: [], places: [] };
  /** How many were staged since the last commit. */
  let staged = 0;
  let refused: LedgerRefusal[] = [];

  async function compare(): Promise<void> {
    if (activities.items.length + corrections.items.length === 0) return;
    const found = await ledger.compare(activities.items, corrections.items);
    const places = [...activities.places, ...corrections.places];
    refused.push(...found.map((each) => ({ ...each, place: places[each.place] as number })));
    activities = { items: [], places: [] };
    corrections = { items: [], places: [] };
  }

  /** What can't be compared now is compared with what follows, at the latest by the commit. */
  async function compareMany(): Promise<void> {
    if (activities.items.length + corrections.items.length < AT_ONCE) return;
    await compare().catch((error: unknown) => {
      if (!(error instanceof RetryableError)) throw error;
    });
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
      await compareMany();
    },
    async stageCorrections(all) {
      for (const correction of all) {
        const place = staged++;
        // What this input brings will be there by then.
        if (seen.has(correction.corrects)) continue;
        corrections.items.push(correction);
        corrections.places.push(place);
      }
      await compareMany();
    },
    compare: () => [],
    async commit() {
      await compare();
      const byPlace = new Map(refused.map((each) => [each.place, each]));
      const all = [...byPlace.values()].toSorted((a, b) => a.place - b.place);
      const known = staged - all.length;
      staged = 0;
      refused = [];
      return { added: 0, known, refused: all };
    },
    confirm: () => undefined,
    finish: () => undefined,
  };
}
