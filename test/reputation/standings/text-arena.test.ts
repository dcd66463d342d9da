import { expect, it } from 'vitest';
import { TextArena } from '#reputation/standings/text-arena';

it('The text arena keeps texts while it grows, over all its segments', () => {
  const arena = new TextArena();
  // Enough for the first segment at every size it has, and for a second one.
  const texts = Array.from({ length: 2_100 }, (_, i) => `${i} ${'x'.repeat(i)}`);
  const handles = texts.map((text) => arena.put(text));
  expect(handles.map((handle) => arena.get(handle)).join() === texts.join()).toBe(true);
  const adopted = arena.putAll(new TextEncoder().encode(`${'y'.repeat(3_000_000)}\nz\n`));
  expect(arena.get(adopted + 3_000_001)).toBe('z');
  expect(arena.get(arena.put('after'))).toBe('after');
  expect(arena.get(handles[0] as number)).toBe('0 ');
});
