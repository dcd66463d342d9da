import { Resvg } from '@resvg/resvg-js';
import { FACES, FAMILY } from '#pictures/fonts/faces';
import { fallbackFilesOf } from '#pictures/fonts/text';

/** Nothing but what is loaded here: a machine's own fonts would make pictures differ, and cost time. */
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

/** The same picture without fonts: every text has become an outline. */
export function outlined(svg: string): string {
  return new Resvg(svg, optionsFor(svg)).toString();
}
