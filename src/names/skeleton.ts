import unhomoglyph from 'unhomoglyph';

/**
 * Dots that pass for a full stop and aren't in the table, or lead elsewhere there: IDNA's ideographic ones
 * (https://www.unicode.org/reports/tr46/, section 2.3), middle dots, bullets and operators.
 */
const DOTS = /[\u00b7\u02d9\u0387\u2022\u2027\u2219\u22c5\u2e31\u2e33\u3002\u30fb\uff65]/gu;

/**
 * What a text looks like: two texts with the same skeleton can be mistaken for each other.
 * https://www.unicode.org/reports/tr39/#Confusable_Detection
 */
export function skeletonOf(text: string): string {
  const visible = text.normalize('NFKD').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return unhomoglyph(visible.replaceAll(DOTS, '.')).normalize('NFD');
}
