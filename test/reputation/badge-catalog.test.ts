import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BadgeDefinition } from '#reputation/badge';
import { BadgeCatalog, type NumberedBadge } from '#reputation/standings/badges';
import { badgeNamed } from '../support/ledger.ts';

const idOf = (number: number) => `badge-${(number * 7_919) % 1_000_003}`;

it('A badge catalog orders badges by id, in whatever calls they are defined', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 20 }), (all, size) => {
      const catalog = new BadgeCatalog();
      for (let from = 0; from < all.length; from += size) {
        const page = all.slice(from, from + size);
        catalog.define(page.map((number) => [number, badgeNamed(idOf(number))]));
      }
      const byId = all.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
      expect(byId.map((number) => catalog.places[number])).toEqual(byId.map((_, place) => place));
      for (const number of all) expect(catalog.knows(idOf(number))).toBe(true);
      expect(catalog.knows('badge-')).toBe(false);
      expect(catalog.knows('zzz')).toBe(false);
    }),
  );
});

it('A badge catalog keeps the place of a redefined badge', () => {
  const catalog = new BadgeCatalog();
  catalog.define([
    [1, badgeNamed('b')],
    [2, badgeNamed('a')],
  ]);
  catalog.define([[1, badgeNamed('b', { name: 'new' })]]);
  expect([...catalog.places].slice(1)).toEqual([1, 0]);
  expect(catalog.definition(1)?.name).toBe('new');
});

it('Copies of a badge catalog are independent', () => {
  const catalog = new BadgeCatalog();
  catalog.define([[1, badgeNamed('b')]]);
  const copy = catalog.copy();
  copy.define([
    [1, badgeNamed('b', { name: 'new' })],
    [2, badgeNamed('a')],
  ]);
  expect([catalog.definition(1)?.name, catalog.places[1]]).toEqual(['Badge b', 0]);
  expect(catalog.knows('a')).toBe(false);
  expect([copy.definition(1)?.name, copy.places[1]]).toEqual(['new', 1]);
});

it('A badge catalog orders ten thousand badges with a few comparisons each', () => {
  const count = 10_000;
  let looks = 0;
  const badges = Array.from({ length: count }, (_, index): NumberedBadge => {
    const definition = {
      ...badgeNamed('x'),
      get id() {
        looks += 1;
        return idOf(index);
      },
    } satisfies BadgeDefinition;
    return [index + 1, definition];
  });
  const catalog = new BadgeCatalog();
  for (let from = 0; from < count; from += 1_000) catalog.define(badges.slice(from, from + 1_000));
  // Two for each comparison: of a sort, and of a binary search.
  expect(looks).toBeLessThan(count * 4 * Math.log2(count));
});
