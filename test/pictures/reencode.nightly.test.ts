import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { BADGE_SIZE } from '#pictures/shown/pictures';
import { reencodeInSubprocess } from '#pictures/untrusted/image-fetcher';
import { readImageHeader, reencode } from '#pictures/untrusted/reencode';
import { decoders } from '../support/decoders.ts';

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';
const circle = '<circle cx="5" cy="5" r="5" fill="#f00"/>';
const svg = (inside: string, more = '') =>
  Buffer.from(`<svg ${XMLNS} viewBox="0 0 10 10"${more}>${inside}</svg>`);

/** Red pixels, or the given ones. */
function png(width: number, height: number, pixels?: Buffer): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    // Decoders that check it reject a wrong one.
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])));
    return Buffer.concat([length, Buffer.from(type), data, sum]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  size.set([8, 2], 8);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.of(255, 0, 0))]);
  const rows = pixels ?? Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const GIF = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  'base64',
);

/** 40 by 20 red pixels, with losses and without. */
const WEBP = Buffer.from(
  'UklGRk4AAABXRUJQVlA4IEIAAACQAwCdASooABQAPm02l0ikIyIhJWgAgA2JZwDPkoB+AAAr98NwAP7wm0P/5BcsLrka//yA/5Af8gP/498Ql180AAA=',
  'base64',
);
const LOSSLESS_WEBP = Buffer.from('UklGRhwAAABXRUJQVlA4TA8AAAAvJ8AEAAcQ/Y/+ByKi/wEA', 'base64');
/** It says one by one pixel, and its frame is larger. */
const LYING_WEBP = Buffer.from(
  'UklGRmAAAABXRUJQVlA4WAoAAAAAAAAAAAAAAAAAVlA4IEIAAACQAwCdASooABQAPm02l0ikIyIhJWgAgA2JZwDPkoB+AAAr98NwAP7wm0P/5BcsLrka//yA/5Af8gP/498Ql180AAA=',
  'base64',
);

describe("a stranger's picture", () => {
  it.each([
    ['PNG', png(40, 20)],
    ['GIF', GIF],
    ['WebP', WEBP],
    ['WebP without losses', LOSSLESS_WEBP],
    ['SVG', svg(circle)],
    [
      'SVG with gradients, a declaration and an editor’s notes',
      Buffer.from(
        `<?xml version="1.0"?><!-- made by hand --><svg ${XMLNS} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:sodipodi="http://sodipodi.sourceforge.net/" viewBox="0 0 9 9"><sodipodi:namedview/><defs><linearGradient id="a"><stop stop-color="red"/></linearGradient><g id="b"><path d="M0 0h9v9z"/></g></defs><use xlink:href="#b" fill="url(#a)"/></svg>`,
      ),
    ],
  ])("A stranger's picture that is a %s becomes a square PNG of ours", async (_, file) => {
    const made = Buffer.from(await reencode(file, BADGE_SIZE));
    expect(readImageHeader(made)).toEqual({ type: 'png', width: 256, height: 256 });
    expect(made.includes(file.subarray(-40, -12))).toBe(false);
  });

  it('is known by its first bytes', () => {
    expect(readImageHeader(JPEG)).toMatchObject({ type: 'jpeg', width: 1, height: 1 });
    expect(readImageHeader(GIF)).toMatchObject({ type: 'gif', width: 1, height: 1 });
    expect(readImageHeader(png(3, 4))).toMatchObject({ type: 'png', width: 3, height: 4 });
    expect(readImageHeader(WEBP)).toMatchObject({ type: 'webp', width: 40, height: 20 });
    expect(readImageHeader(LOSSLESS_WEBP)).toMatchObject({ type: 'webp', width: 40, height: 20 });
    expect(readImageHeader(LYING_WEBP)).toMatchObject({ type: 'webp', width: 1, height: 1 });
    for (const file of [GIF, JPEG, WEBP, LOSSLESS_WEBP, LYING_WEBP, png(3, 4)]) {
      // Wherever it's cut off, it's either recognized or not, and nothing breaks.
      for (let end = 0; end < file.length; end++) readImageHeader(file.subarray(0, end));
    }
  });

  const deep = '<g>'.repeat(61) + circle + '</g>'.repeat(61);
  const laughs = Array.from(
    { length: 20 },
    (_, i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(2)}</g>`,
  ).join('');
  it.each([
    ['a script', svg('<script>alert(1)</script>')],
    ['a script in disguise', svg('<svg:script>alert(1)</svg:script>')],
    ['a listener', svg(circle, ' onload="alert(1)"')],
    ['a page in it', svg('<foreignObject><body/></foreignObject>')],
    ['a picture from elsewhere', svg('<image href="https://evil.example/a.png"/>')],
    ['a picture of this machine', svg('<image href="/etc/passwd"/>')],
    ['a reference to elsewhere', svg('<use xlink:href="https://evil.example/a.svg#a"/>')],
    ['a reference in disguise', svg('<use href="&#104;ttps://evil.example/a.svg#a"/>')],
    ['a style from elsewhere', svg('<style>@import "https://evil.example/a.css";</style>')],
    ['a colour from elsewhere', svg('<path fill="url(https://evil.example/a.svg#b)"/>')],
    ['a style sheet', Buffer.from(`<?xml-stylesheet href="a.css"?><svg ${XMLNS}/>`)],
    [
      'an entity bomb',
      Buffer.from(
        `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><svg ${XMLNS}><text>&b;</text></svg>`,
      ),
    ],
    ['copies of copies', svg(`<g id="a0">${circle}</g>${laughs}`)],
    ['a nest too deep', svg(deep)],
    ['too many elements', svg(circle.repeat(3_001))],
    ['a filter', svg('<filter id="a"><feGaussianBlur stdDeviation="9999"/></filter>')],
    ['tags that do not close', svg('<g><g')],
    ['nothing to see', svg('')],
    ['text that is not UTF-8', Buffer.concat([svg(circle), Buffer.of(0xff)])],
  ])("A stranger's picture that is an SVG with %s is refused", async (_, file) => {
    await expect(reencode(file, BADGE_SIZE)).rejects.toThrow(RangeError);
  });

  it.each([
    ['a PNG that unpacks to gigabytes', png(30_000, 30_000, Buffer.alloc(1_000))],
    ['a PNG without width', png(0, 1)],
    [
      'a GIF with a frame that is larger than its screen',
      (() => {
        const large = Buffer.from(GIF);
        large.writeUInt16LE(60_000, large.indexOf(',', 20) + 5);
        return large;
      })(),
    ],
    ['a PNG that breaks off', png(40, 40).subarray(0, 50)],
    ['a WebP that breaks off', WEBP.subarray(0, 60)],
    ['a WebP whose frame is larger than it says', LYING_WEBP],
    [
      'a WebP that unpacks to a gigabyte',
      (() => {
        const large = Buffer.from(WEBP);
        large.writeUInt16LE(16_383, 26);
        large.writeUInt16LE(16_383, 28);
        return large;
      })(),
    ],
    ['a web page', Buffer.from('<!doctype html><html><svg></svg></html>')],
    ['an archive', Buffer.from('PK\x03\x04')],
    ['nothing', Buffer.alloc(0)],
  ])("A stranger's picture that is %s is refused", async (_, file) => {
    await expect(reencode(file, BADGE_SIZE)).rejects.toThrow(RangeError);
  });

  it('is decoded in a process that can be ended', async () => {
    const [made, ofWebp, refused] = await Promise.allSettled([
      reencodeInSubprocess(svg(circle), BADGE_SIZE, 60_000),
      reencodeInSubprocess(WEBP, BADGE_SIZE, 60_000),
      reencodeInSubprocess(svg('<script/>'), BADGE_SIZE, 60_000),
    ]);
    expect([made, ofWebp]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(refused).toMatchObject({ reason: { message: "it's an SVG that does more than draw" } });
    const early = reencodeInSubprocess(svg(circle), BADGE_SIZE, 1);
    await expect(early).rejects.toThrow(RetryableError);
  });

  it('gets no more memory than a picture of the largest size takes', async () => {
    const large = png(4_096, 4_096);
    expect(
      readImageHeader(Buffer.from(await reencodeInSubprocess(large, BADGE_SIZE, 60_000))),
    ).toEqual({
      ...{ type: 'png', width: 256, height: 256 },
    });
    const dashes = svg(
      '<path d="M0 0H1200V300H0Z" stroke="red" stroke-width="900" stroke-linecap="round" stroke-dasharray="0.002"/>',
    );
    // With time to spare, so that on a slow machine it isn't the processor's limit that ends it.
    await expect(reencodeInSubprocess(dashes, BADGE_SIZE, 600_000, 60)).rejects.toThrow(
      'memory allocation',
    );
  });

  it('gets no more processor time than a picture of the largest size takes', async () => {
    const dashes =
      '<path d="M0 0H1200V300H0Z" stroke="red" stroke-width="900" stroke-linecap="round" stroke-dasharray="0.05"/>';
    const slow = svg(dashes.repeat(50));
    const refused = await reencodeInSubprocess(slow, BADGE_SIZE, 600_000, 1).catch(
      (error) => error,
    );
    expect(refused).toMatchObject({ message: 'the decoder ended', cause: { signal: 'SIGXCPU' } });
  });

  it('is decoded behind requests', async () => {
    const thread = new URL('../support/decoder-priority.ts', import.meta.url);
    const worker = new Worker(thread, { workerData: svg(circle), execArgv: [] });
    const [priorities] = await once(worker, 'message');
    await once(worker, 'exit');
    expect(priorities).toEqual([Math.max(getPriority(), 10)]);
  });

  it('is not judged by a decoder that was killed', async () => {
    const running = reencodeInSubprocess(svg(circle), BADGE_SIZE, 60_000);
    for (const child of await decoders()) process.kill(child, 'SIGKILL');
    await expect(running).rejects.toThrow(RetryableError);
  });
});
