import { CARD_SIZE } from '#pictures/shown/paths';
import type { Palette } from './palette.ts';

/** Bubbles: centre and radius. They keep clear of the text. */
const BUBBLES = [
  [676, 96, 9],
  [700, 150, 5],
  [1150, 250, 8],
  [1168, 210, 5],
  [1136, 300, 4],
  [690, 352, 6],
  [1172, 396, 7],
] as const;

/** Beams of light: left and right edge at the top, then at the bottom. */
const BEAMS = [
  [560, 640, 300, 460],
  [760, 900, 620, 860],
  [1010, 1100, 1010, 1230],
] as const;

/** The background of a card. */
export function water({ water, light }: Palette): string {
  const { width, height } = CARD_SIZE;
  const [colour, opacity] = light;
  const beams = BEAMS.map(
    ([a, b, c, d]) => `<path d="M${a} 0H${b}L${d} ${height}H${c}Z" fill="url(#beam)"/>`,
  );
  const bubbles = BUBBLES.map(
    ([x, y, r]) =>
      `<circle cx="${x}" cy="${y}" r="${r}"/><circle cx="${x - r / 3}" cy="${y - r / 3}" r="${r / 4}" fill="${colour}"/>`,
  );
  return `<defs>
<linearGradient id="water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${water[0]}"/><stop offset="1" stop-color="${water[1]}"/></linearGradient>
<linearGradient id="beam" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${colour}" stop-opacity="${opacity}"/><stop offset="0.85" stop-color="${colour}" stop-opacity="0"/></linearGradient>
</defs>
<rect width="${width}" height="${height}" fill="url(#water)"/>
${beams.join('')}
<g fill="none" stroke="${colour}" stroke-opacity="0.45" stroke-width="2">${bubbles.join('')}</g>`;
}
