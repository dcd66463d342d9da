import { expect, it } from 'vitest';
import { Standings } from '#reputation/standings/standings';
import { BADGES_A_PAGE, type BadgeRows, defineBadges } from '#storage/following/snapshot';

/** A table of badges; every commit writes some of them. */
class Table {
  readonly rows = new Map<number, Record<string, unknown>>();
  batch = 0;

  commit(...numbers: readonly number[]): void {
    this.batch += 1;
    for (const number of numbers) {
      const row = { number, id: `badge-${number}`, name: `of ${this.batch}`, tier: 'Rare' };
      this.rows.set(number, { ...row, revision: this.batch });
    }
  }

  page(since: number, above: number): BadgeRows {
    return [...this.rows.values()]
      .filter((row) => Number(row.revision) > since && Number(row.number) > above)
      .sort((a, b) => Number(a.number) - Number(b.number))
      .slice(0, BADGES_A_PAGE);
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it('Defining badges lets other work run between two pages, and shows nothing before the last', async () => {
  const [table, standings] = [new Table(), new Standings()];
  const pages = 5;
  table.commit(...upTo(pages * BADGES_A_PAGE));
  let turns = 0;
  let isDone = false;
  const seen = new Set<boolean>();
  const tick = () => {
    if (isDone) return;
    turns += 1;
    seen.add(standings.knowsBadge('badge-1'));
    setImmediate(tick);
  };
  setImmediate(tick);
  const taken = await defineBadges(standings, (above) => table.page(0, above));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(pages - 1);
  expect(seen).toEqual(new Set([false]));
  expect(taken).toBe(1);
  expect(standings.knowsBadge(`badge-${pages * BADGES_A_PAGE}`)).toBe(true);
});

it('Defining badges touches nothing if nothing was written since', async () => {
  const [table, standings] = [new Table(), new Standings()];
  table.commit(1);
  expect(await defineBadges(standings, (above) => table.page(1, above))).toBe(0);
  expect(standings.knowsBadge('badge-1')).toBe(false);
});
