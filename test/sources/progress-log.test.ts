import { expect, it, vi } from 'vitest';
import { ProgressLog } from '#sources/reading/progress';
import { silentLog } from '../support/log.ts';

it('The log shows progress until a source is near its end, and again once it is far', () => {
  const info = vi.fn();
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const progress = new ProgressLog({ ...silentLog, info }, 'eth');
  const tell = (height: number, end: number, perSecond: number) => {
    now += 12_000;
    const left = end - height;
    progress.log({ height, hash: '', at: 0 } as never, {
      ...{ state: 'reading', position: undefined, end: { height: end } as never, words: undefined },
      ...{ leftOut: 0, refused: 0, unbegun: 0, pace: perSecond },
      remainingSeconds: left <= 0 ? undefined : left / perSecond,
    });
    return info.mock.calls.splice(0).map(([, message]) => message);
  };
  expect(tell(100, 10_000, 10)).toEqual(['reading eth']);
  expect(tell(9_000, 10_000, 10)).toEqual(['reading eth']);
  expect(tell(10_000, 10_000, 10)).toEqual([expect.stringContaining('followed from here on')]);
  // A block every 12 seconds, seen a moment late at times.
  for (let block = 10_001; block < 10_100; block++) {
    expect(tell(block - (block % 2), block, 10)).toEqual([]);
  }
  expect(tell(10_100, 20_000, 10)).toEqual(['reading eth']);
  expect(tell(19_950, 20_000, 10)).toEqual([expect.stringContaining('nearly to its end')]);
  expect(tell(20_000, 20_000, 10)).toEqual([]);
  vi.restoreAllMocks();
});
