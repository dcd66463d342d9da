import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MaybePromise } from '#base';
import type { NumberedBadge, Standings } from '#reputation/standings';
import { badgeOf } from './badge-rows.ts';

/** Rows of `badge` per page; a page takes a few milliseconds at most. */
export const BADGES_A_PAGE = 500;

export type BadgeRows = readonly Readonly<Record<string, unknown>>[];

/** @returns the next badges with higher numbers, in order, at most BADGES_A_PAGE */
type ReadPage = (above: number) => MaybePromise<BadgeRows>;

/**
 * Reads badges page by page, as of one moment, and shows them all at once.
 * @returns the newest batch that wrote any of them; 0 if there are none
 */
export async function defineBadges(standings: Standings, readPage: ReadPage): Promise<number> {
  const draft = standings.draftBadges();
  let revision = 0;
  let rows: BadgeRows;
  let above = 0;
  do {
    rows = await readPage(above);
    if (rows.length === 0) break;
    draft.define(rows.map((row): NumberedBadge => [Number(row.number), badgeOf(row)]));
    for (const row of rows) {
      above = Math.max(above, Number(row.number));
      revision = Math.max(revision, Number(row.revision));
    }
    await yieldToEventLoop();
  } while (rows.length === BADGES_A_PAGE);
  if (revision > 0) standings.useBadges(draft);
  return revision;
}
