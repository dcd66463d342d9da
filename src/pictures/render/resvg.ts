import { Resvg } from '@resvg/resvg-js';
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
