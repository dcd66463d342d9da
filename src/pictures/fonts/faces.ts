import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type FontMetrics, readFont } from './font-file.ts';

const require = createRequire(import.meta.url);

/**
 * The file of a face in one of Expo's packages of Google Fonts, which ship TrueType files.
 * @param folder older packages have none for each weight
 */
function fileOf(font: string, weight: string, folder = weight): string {
  const name = font.replaceAll(' ', '');
  const base = dirname(require.resolve(`@expo-google-fonts/${slugOf(font)}/package.json`));
  return join(base, folder, `${name}_${weight}.ttf`);
}

function slugOf(font: string): string {
  return font.toLowerCase().replaceAll(' ', '-');
}

/** The font family of all pictures. */
export const FAMILY = 'Inter';

export const WEIGHTS = { regular: 400, bold: 700 } as const;
export type Weight = keyof typeof WEIGHTS;

/** A file to render with and its metrics, read on first use. */
export interface Face {
  readonly file: string;
  readonly metrics: FontMetrics;
}

function face(font: string, weight: string, folder?: string): Face {
  const file = fileOf(font, weight, folder);
  let metrics: FontMetrics | undefined;
  return {
    file,
    get metrics() {
      metrics ??= readFont(file);
      return metrics;
    },
  };
}

/** The faces of FAMILY. */
export const FACES: Readonly<Record<Weight, Face>> = {
  regular: face(FAMILY, '500Medium'),
  bold: face(FAMILY, '700Bold'),
};

/**
 * For glyphs that FAMILY lacks, in the order they're tried; each is read only if it's needed. They take ten
 * megabytes in all; a font with every Chinese character would take a hundred.
 */
export const FALLBACKS: readonly Face[] = [
  face('Noto Emoji', '700Bold'),
  // Japanese, and the Chinese characters that it shares.
  face('Kosugi', '400Regular', '.'),
  // Korean.
  face('Do Hyeon', '400Regular'),
  face('Heebo', '700Bold'),
  face('Cairo', '700Bold'),
];
