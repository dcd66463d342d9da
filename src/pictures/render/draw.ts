import { Resvg } from '@resvg/resvg-js';
import { luminanceOf, type Rgb } from '#command';
import { badgeSvg } from '#pictures/card/badge-svg';
import { cardSvg, TEXT_PART } from '#pictures/card/card-svg';
import { dataUri, escapeXml } from '#pictures/card/svg';
import { FACES, FAMILY, fallbackFilesOf } from '#pictures/fonts/faces';
import type { DrawnStyle } from '#pictures/shown/pictures';
import { altTextOf } from '#pictures/shown/rank-card';
import type { RenderJob } from './renderer.ts';

/** Draws a picture. */
export function draw(job: RenderJob): Uint8Array {
  if (job.kind === 'badge') return renderPng(badgeSvg(job.badge));
  const { card, look, format, pngs, style } = job;
  const svg = cardSvg(card, look, pngs, styleToDraw(style));
  if (format === 'png') return renderPng(svg);
  return new TextEncoder().encode(titled(outlined(svg), altTextOf(card, look.language)));
}

function styleToDraw(style: DrawnStyle | undefined) {
  const { accent, banner } = style ?? {};
  return { accent, banner: banner && { png: banner.png, ...extremesOf(banner.png) } };
}

/** Screen readers can't read outlines, so the text goes into the title. */
function titled(svg: string, title: string): string {
  const end = svg.indexOf('>');
  return `${svg.slice(0, end)} role="img">\n<title>${escapeXml(title)}</title>${svg.slice(end + 1)}`;
}

/** Only the fonts loaded here: the system's own would make pictures differ, and take time to load. */
function optionsFor(svg: string) {
  const fontFiles = [FACES.regular.file, FACES.bold.file, ...fallbackFilesOf(svg)];
  return {
    font: { loadSystemFonts: false, fontFiles, defaultFontFamily: FAMILY },
    logLevel: 'off' as const,
  };
}

function renderPng(svg: string): Uint8Array {
  return new Resvg(svg, optionsFor(svg)).render().asPng();
}

/** The same picture without fonts: all text becomes outlines. */
export function outlined(svg: string): string {
  return new Resvg(svg, optionsFor(svg)).toString();
}

/** Cells across and down a picture of which the brightest and the darkest are looked for. */
const CELLS = { width: 64, height: 16 } as const;

/** The brightest and the darkest place of a banner behind text, seen from afar. */
export function extremesOf(png: Uint8Array): { readonly brightest: Rgb; readonly darkest: Rgb } {
  const { width, height } = CELLS;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" preserveAspectRatio="none" href="${dataUri(png)}"/></svg>`;
  const { pixels } = new Resvg(svg, { font: { loadSystemFonts: false }, logLevel: 'off' }).render();
  let [brightest, darkest] = [0x000000, 0xffffff];
  for (let at = 0; at < pixels.length; at += 4) {
    if (((at / 4) % width) / width > TEXT_PART) continue;
    const [r = 0, g = 0, b = 0] = pixels.subarray(at, at + 3);
    const colour = (r << 16) | (g << 8) | b;
    if (luminanceOf(colour) > luminanceOf(brightest)) brightest = colour;
    if (luminanceOf(colour) < luminanceOf(darkest)) darkest = colour;
  }
  return { brightest, darkest };
}
