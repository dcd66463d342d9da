import { setImmediate as breathe } from 'node:timers/promises';
import type { MaybePromise } from '#core/maybe-promise';
import type { NumberedBadge } from '#core/standings/badge-catalog';
import type { Standings } from '#core/standings/standings';
import { badgeOf } from './badge-rows.ts';

/** Rows of `badge` that a page has; one takes a few milliseconds at most. */
export const BADGES_A_PAGE = 500;
/** Pages are put in order together once they hold this share of what is in order already. */
const SHARE = 1 / 16;

/** The newest batch that a page shows. */
interface Newest {
  readonly id: number;
  readonly uid: string;
}

export interface BadgePage {
  /** In the order of their numbers, at most BADGES_A_PAGE of them. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Of a page with rows. */
  readonly newest: Newest;
}

/** @returns the next badges with numbers above `above` that were written after the batch `since` */
type ReadPage = (since: number, above: number) => MaybePromise<BadgePage>;

/**
 * Takes in the badges that were written after a batch, page by page, and shows them all at once when
 * they are in as they are at one moment.
 * @returns the newest batch that wrote any of them, and the one that they were read at; undefined when there are none
 */
export async function defineBadges(
  standings: Standings,
  after: number,
  readPage: ReadPage,
): Promise<{ readonly revision: number; readonly newest: Newest } | undefined> {
  const draft = standings.draftBadges();
  let pending: NumberedBadge[] = [];
  let revision = after;
  function definePending(): void {
    draft.define(pending);
    pending = [];
  }
  /** @returns the newest batch of the first and of the last page */
  async function pass(since: number): Promise<readonly [Newest, Newest] | undefined> {
    let first: Newest | undefined;
    let last: Newest | undefined;
    let rows: BadgePage['rows'];
    let above = 0;
    do {
      const page = await readPage(since, above);
      rows = page.rows;
      if (rows.length === 0) break;
      for (const row of rows) {
        pending.push([Number(row.number), badgeOf(row)]);
        above = Math.max(above, Number(row.number));
        revision = Math.max(revision, Number(row.revision));
      }
      first ??= page.newest;
      last = page.newest;
      if (pending.length > draft.size * SHARE) definePending();
      await breathe();
    } while (rows.length === BADGES_A_PAGE);
    return first === undefined || last === undefined ? undefined : [first, last];
  }

  let newest: Newest | undefined;
  for (let ends = await pass(after); ends !== undefined; ends = await pass(ends[0].id)) {
    newest = ends[1];
    // What a commit between two pages wrote may stand on one that was read before it.
    if (ends[0].id === newest.id && ends[0].uid === newest.uid) break;
  }
  if (newest === undefined) return undefined;
  definePending();
  standings.useBadges(draft);
  return { revision, newest };
}
