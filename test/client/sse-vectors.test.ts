import { expect, it } from 'vitest';
import { readEvents } from '../../client/src/sse.ts';

/*
 * The cases of web-platform-tests, folder `eventsource`, files `format-*` (https://github.com/web-platform-tests/wpt,
 * 3-Clause BSD, copyright web-platform-tests contributors): the bytes of a stream, and the events in it.
 *
 * What the standard leaves to the page isn't here: `retry` (the client has a backoff of its own) and media types.
 */

const LONG = 'x'.repeat(2 * 1_024);
const END = '\n\n';

/** The data of events; of another type than `message` with their type. */
const CASES: readonly (readonly [name: string, text: string, events: readonly string[]])[] = [
  ['bom', `\uFEFFdata:1\n\n\uFEFFdata:2\n\ndata:3${END}`, ['1', '3']],
  ['bom-2', `\uFEFF\uFEFFdata:1\n\ndata:2\n\ndata:3${END}`, ['2', '3']],
  [
    'comments',
    `data:1\r:\0\n:\r\ndata:2\n:${LONG}\rdata:3\n:data:fail\r:${LONG}\ndata:4\n${END}`,
    ['1\n2\n3\n4'],
  ],
  ['data-before-final-empty-line', 'retry:1000\ndata:test1\n\nid:test\ndata:test2', ['test1']],
  ['field-data', `data:\n\ndata\ndata\n\ndata:test${END}`, ['', '\n', 'test']],
  ['field-event', `event:test\ndata:x\n\ndata:x${END}`, ['test: x', 'x']],
  ['field-event-empty', `event: \ndata:data${END}`, ['data']],
  [
    'field-parsing',
    `data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n${END}`,
    ['\0\n 2\n1\n3\n\n4'],
  ],
  [
    'field-unknown',
    `data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test${END}`,
    ['test\n\ntest'],
  ],
  ['leading-space', `data:\ttest\rdata: \ndata:test${END}`, ['\ttest\n\ntest']],
  ['newlines', `data:test\r\ndata\ndata:test\r\n\r${END}`, ['test\n\ntest']],
  ['null-character', `data:\0\n\n${END}`, ['\0']],
  ['utf-8', `data:ok…${END}`, ['ok…']],
];

function* chunksOf(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

it.each(CASES)(
  'format-%s is read as the standard says, however it is cut',
  async (_, text, events) => {
    // Of one byte at a time, a line break or a character is cut in the middle.
    for (const size of [1, 2, 3, 7, 100_000]) {
      const read = await Array.fromAsync(
        readEvents(ReadableStream.from(chunksOf(text, size)), 1e6),
      );
      expect(
        read.map(({ type, data }) => (type === 'message' ? data : `${type}: ${data}`)),
      ).toEqual(events);
    }
  },
);

it.each([
  ['is that of all that follow, too', `id:1\ndata:a\n\ndata:b${END}`, ['1', '1']],
  ['is taken back by an empty one', `id:1\ndata:a\n\nid\ndata:b${END}`, ['1', '']],
  ['is ignored if it has a null character', `id:1\ndata:a\n\nid:\0\0\ndata:b${END}`, ['1', '1']],
])('An id of an event %s', async (_, text, ids) => {
  const read = await Array.fromAsync(readEvents(ReadableStream.from(chunksOf(text, 1)), 1e6));
  expect(read.map(({ id }) => id)).toEqual(ids);
});
