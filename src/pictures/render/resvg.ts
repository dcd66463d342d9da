import { Resvg } from '@resvg/resvg-js';
import { luminanceOf, type Rgb } from '#command';
import { TEXT_PART } from '#pictures/card/banner';
import { dataUri } from '#pictures/card/svg';
import { FACES, FAMILY } from '#pictures/fonts/faces';
import { fallbackFilesOf } from '#pictures/fonts/text';

/** Only the fonts loaded here: the system's own would make pictures differ, and take time to load. */
function optionsFor(svg: string) {
  const fontFiles = [FACES.regular.file, FACES.bold.file, ...fallbackFilesOf(svg)];
  return {
    font: { loadSystemFonts: false, fontFiles, defaultFontFamily: FAMILY },
    logLevel: 'off' as const,
  };
}

export function renderPng(svg: string): Uint8Array {
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
