import { describe, expect, it } from 'vitest';
import { PictureCache } from '#pictures/studio';

const picture = (byte: number, length = 10) => new Uint8Array(length).fill(byte);

/** Which pictures there are; their names are their bytes. Looking refreshes what is old. */
function found(cache: PictureCache, names: readonly number[]): number[] {
  return names.filter((name) => {
    const bytes = cache.get(`${name}`);
    if (bytes !== undefined) expect(new Set(bytes)).toEqual(new Set([name]));
    return bytes !== undefined;
  });
}

describe('the cache of pictures', () => {
  it('drops the oldest pictures for new ones, whatever their sizes', () => {
    const cache = new PictureCache(100);
    for (let name = 1; name <= 250; name += 1) {
      cache.set(`${name}`, picture(name, 7 + ((name * 13) % 25)));
      expect(found(cache, [name])).toEqual([name]);
    }
    const names = Array.from({ length: 250 }, (_, i) => i + 1);
    const left = found(cache, names);
    expect(left.length).toBeGreaterThan(1);
    expect(left).toEqual(names.slice(-left.length));
  });

  it('keeps a picture that is used, however many others come', () => {
    const cache = new PictureCache(100);
    cache.set('1', picture(1));
    for (let name = 2; name <= 200; name += 1) {
      cache.set(`${name}`, picture(name));
      expect(found(cache, [1])).toEqual([1]);
    }
  });

  it('drops nothing for uses of one picture, however many', () => {
    const cache = new PictureCache(100);
    for (let name = 1; name <= 8; name += 1) cache.set(`${name}`, picture(name));
    for (let use = 0; use < 1_000; use += 1) cache.get('1');
    expect(found(cache, [8, 7, 6, 5, 4, 3, 2, 1])).toHaveLength(8);
  });

  it('hands out copies, so that none changes when others take its place', () => {
    const cache = new PictureCache(100);
    cache.set('1', picture(1));
    const copy = cache.get('1');
    for (let name = 2; name <= 30; name += 1) cache.set(`${name}`, picture(name));
    expect(copy).toEqual(picture(1));
    expect(found(cache, [1])).toEqual([]);
  });

  it('replaces a picture, and keeps none that is larger than all of it', () => {
    const cache = new PictureCache(100);
    cache.set('1', picture(2, 50));
    cache.set('1', picture(1, 50));
    expect(found(cache, [1])).toEqual([1]);
    cache.set('3', picture(3, 101));
    expect(found(cache, [1, 3])).toEqual([1]);
    cache.set('4', picture(4, 100));
    expect(found(cache, [1, 4])).toEqual([4]);
  });
});
