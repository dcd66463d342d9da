import { expect, test } from 'vitest';
import { Standings } from '#core/standings/standings';
import { BADGES_A_PAGE, type BadgePage, defineBadges } from '#stores/define-badges';

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

  page(since: number, above: number): BadgePage {
    const rows = [...this.rows.values()]
      .filter((row) => Number(row.revision) > since && Number(row.number) > above)
      .sort((a, b) => Number(a.number) - Number(b.number))
      .slice(0, BADGES_A_PAGE);
    return { rows, newest: { id: this.batch, uid: `u${this.batch}` } };
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** What the standings call some badges. */
function namesIn(standings: Standings, ...badges: readonly number[]): string[] {
  standings.addWallet(1, 'solana', 'a');
  for (const badge of badges) standings.addBadge(1, badge);
  return standings.badgeNames(1);
}

test('other work goes on between two pages, and nothing is shown before the last', async () => {
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
  const taken = await defineBadges(standings, 0, (since, above) => table.page(since, above));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(pages - 1);
  expect(seen).toEqual(new Set([false]));
  expect(taken?.revision).toBe(1);
  expect(standings.knowsBadge(`badge-${pages * BADGES_A_PAGE}`)).toBe(true);
});

test('a commit between two pages is not missed on those that were read', async () => {
  const [table, standings] = [new Table(), new Standings()];
  table.commit(...upTo(2 * BADGES_A_PAGE));
  let asked = 0;
  const taken = await defineBadges(standings, 0, (since, above) => {
    asked += 1;
    // One that was read, and one that comes yet.
    if (asked === 2) table.commit(1, 2 * BADGES_A_PAGE);
    return table.page(since, above);
  });
  expect(taken).toEqual({ revision: 2, newest: { id: 2, uid: 'u2' } });
  // In the order of their ids.
  expect(namesIn(standings, 1, 2 * BADGES_A_PAGE, 2)).toEqual(['of 2', 'of 2', 'of 1']);
});

test('where none was written since, nothing is touched', async () => {
  const [table, standings] = [new Table(), new Standings()];
  table.commit(1);
  expect(await defineBadges(standings, 1, (since, above) => table.page(since, above))).toBe(
    undefined,
  );
  expect(standings.knowsBadge('badge-1')).toBe(false);
});
