import { expect, it } from 'vitest';
import { release } from '#storage/following/fill-standings';

it('Packing gives the memory of bytes back, unless others share it', () => {
  const own = new Uint8Array(1000);
  release(own);
  expect(own.buffer.byteLength).toBe(0);

  const shared = new Uint8Array(1000).fill(7);
  release(shared.subarray(0, 500));
  release(Buffer.from('of the pool'));
  expect(shared.every((byte) => byte === 7)).toBe(true);
  expect(Buffer.from('of the pool').toString()).toBe('of the pool');
});
