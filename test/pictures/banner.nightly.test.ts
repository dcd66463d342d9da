import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { contrastOf, hasContrast, rgbOf } from '#command/cards/colours';
import { cardSvg, mixed, veilFor } from '#pictures/card/card-svg';
import { branded, paletteOf } from '#pictures/card/palette';
import { draw, extremesOf } from '#pictures/render/draw';
import type { RenderJob } from '#pictures/render/renderer';
import { CARD_THEMES, DEFAULT_THEME } from '#pictures/shown/pictures';
import { openPictures } from '#pictures/studio';
import { BANNER_SIZE, fetchBanner } from '#pictures/untrusted/image-fetcher';
import { readImageHeader, reencode } from '#pictures/untrusted/reencode';
import { TIERS } from '#reputation/tier';
import { silentLog } from '../support/log.ts';
import { doorTo, servePictures } from '../support/picture-server.ts';
import { rankCard } from '../support/rank-card.ts';

const LOOK = { language: 'en', theme: DEFAULT_THEME };
const plain = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M-99 0h300v9h-300z" fill="${colour}"/></svg>`;

describe('the banner of a community', () => {
  it('is fetched, cropped to its size and re-encoded', async () => {
    const url = await servePictures((_, response) => void response.end(plain('teal')));
    const { png, digest } = await fetchBanner(doorTo(['127.0.0.1/32']), url);
    expect(readImageHeader(Buffer.from(png))).toEqual({ type: 'png', ...BANNER_SIZE });
    expect(digest).toMatch(/^[\w-]{22}$/);
    expect(extremesOf(png)).toEqual({ brightest: 0x008080, darkest: 0x008080 });
  });

  it.each<[string, RequestListener, string]>([
    ['missing', (_, response) => void response.writeHead(404).end(), 'banner-unreachable'],
    ['a web page', (_, response) => void response.end('<!doctype html>'), 'banner-unreadable'],
    [
      'an SVG with a script',
      (_, response) => void response.end(plain('red').replace('<path', '<script/><path')),
      'banner-unreadable',
    ],
    ['over 2 MB', (_, response) => void response.end(Buffer.alloc(2_000_001)), 'banner-too-large'],
    [
      'behind a redirect to a private address',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
      'banner-unreachable',
    ],
  ])('The banner of a community that is %s is refused', async (_, listener, code) => {
    const url = await servePictures(listener);
    await expect(fetchBanner(doorTo(['127.0.0.1/32']), url)).rejects.toMatchObject({ code });
  });

  it.each(['http://example.org/a.png', 'file:///etc/passwd', 'not a URL', 'https://[::1]/a.png'])(
    'at %s is refused',
    async (url) => {
      const code = 'banner-unreachable';
      await expect(fetchBanner(doorTo([]), url)).rejects.toMatchObject({ code });
    },
  );

  it('is not asked for at a private address', async () => {
    let reached = 0;
    const url = await servePictures((_, response) => {
      reached += 1;
      response.end(plain('red'));
    });
    await expect(fetchBanner(doorTo([]), url)).rejects.toThrow();
    expect(reached).toBe(0);
  });
});

describe('a card in the style of a community', () => {
  it('has labels that can be read on any banner', () => {
    for (const theme of CARD_THEMES) {
      for (const tier of TIERS) {
        const palette = paletteOf(tier, theme);
        const water = rgbOf(palette.water[theme === 'dark' ? 1 : 0]);
        for (const colour of [0x000000, 0xffffff, 0xff0000, 0xffff00, 0x808080]) {
          const opacity = veilFor({ brightest: colour, darkest: colour }, palette, theme);
          const seen = mixed(colour, water, opacity);
          expect(contrastOf(rgbOf(palette.muted), seen)).toBeGreaterThanOrEqual(4.5);
        }
      }
    }
  });

  it('shows more of a banner that text can be read on', () => {
    const palette = paletteOf('Whale', 'dark');
    const veil = (colour: number) =>
      veilFor({ brightest: colour, darkest: colour }, palette, 'dark');
    expect(veil(0x101020)).toBeLessThan(veil(0xffffff));
  });

  it.each(CARD_THEMES)('has an accent that stands out from the water, %s', (theme) => {
    for (const tier of TIERS) {
      for (const accent of [0x000000, 0xffffff, 0x1790ed, 0xe63a36, 0xa58b03, 0x669b17]) {
        const { brand, water } = branded(paletteOf(tier, theme), accent, theme);
        expect(hasContrast(rgbOf(brand), water.map(rgbOf))).toBe(true);
      }
    }
  });

  it('differs from others only where there is a style', () => {
    const none = { accent: undefined, banner: undefined };
    const svg = cardSvg(rankCard(), LOOK, new Map());
    expect(cardSvg(rankCard(), LOOK, new Map(), none)).toBe(svg);
    expect(cardSvg(rankCard(), LOOK, new Map(), { ...none, accent: 0xe63a36 })).not.toBe(svg);
  });

  it('is drawn with its banner', async () => {
    const png = await reencode(Buffer.from(plain('#ff00ff')), BANNER_SIZE);
    const style = { accent: 0x1790ed, banner: { png, digest: 'a' } };
    const job = { kind: 'card', card: rankCard(), look: LOOK, pngs: new Map(), style } as const;
    const svg = Buffer.from(draw({ ...job, format: 'svg' })).toString();
    expect(svg).toContain('data:image/png;base64,');
    expect(draw({ ...job, format: 'png' }).length).toBeGreaterThan(10_000);
  });

  it('is another picture for each style, kept apart from the plain one', async () => {
    const jobs: RenderJob[] = [];
    const renderer = {
      render: async (job: RenderJob) => Uint8Array.of(jobs.push(job)),
      close: async () => undefined,
      isFull: false,
    };
    const pictures = openPictures({ log: silentLog, renderer });
    const request = { card: rankCard(), look: LOOK, format: 'png' } as const;
    const banner = { png: Uint8Array.of(1), digest: 'x' };
    const styles = [
      undefined,
      { accent: 1, banner: undefined },
      { accent: 2, banner: undefined },
      { accent: undefined, banner },
      { accent: 1, banner },
    ];
    const prepared = await Promise.all(styles.map((style) => pictures.card({ ...request, style })));
    expect(new Set(prepared.map(({ digest }) => digest)).size).toBe(styles.length);
    for (const each of prepared) await each.draw();
    expect(jobs).toHaveLength(styles.length);
  });
});
