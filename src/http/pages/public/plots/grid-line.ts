import { type Markup, markup } from '#http/pages/public/markup';

/** Pixels between a label and the plot. The stylesheet keeps a margin as wide as the longest label. */
const GAP = 6;

/** A horizontal line across a plot, with its value in the margin on the left. */
export function gridLine(y: number, text: string): Markup {
  const at = round(y);
  return markup`<line class="grid" x2="100%" y1="${at}" y2="${at}"/><text x="-${GAP}" y="${at + 4}" text-anchor="end">${text}</text>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
