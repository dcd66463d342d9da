import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SizedCache } from '#base/bounded-map';

const KEYS = fc.constantFrom('a', 'b', 'c', 'd', 'e');

it('A cache by size holds what was used last and fits, and nothing else', () => {
  const step = fc.record({ key: KEYS, bytes: fc.option(fc.nat({ max: 12 }), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new SizedCache<number>(10, 3);
      // From the least recently used to the most.
      let model: { key: string; value: number; bytes: number }[] = [];
      for (const [value, { key, bytes }] of steps.entries()) {
        const held = model.find((each) => each.key === key);
        model = model.filter((each) => each !== held);
        if (bytes === undefined) {
          expect(cache.get(key)).toBe(held?.value);
          if (held !== undefined) model.push(held);
        } else {
          cache.set(key, value, bytes);
          if (bytes <= 10) model.push({ key, value, bytes });
          while (model.length > 3 || sum(model) > 10) model.shift();
        }
        expect(cache.held).toEqual({ entries: model.length, bytes: sum(model) });
      }
    }),
  );
});

function sum(of: readonly { readonly bytes: number }[]): number {
  return of.reduce((total, { bytes }) => total + bytes, 0);
}
