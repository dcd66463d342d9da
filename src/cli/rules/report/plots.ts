import { type Html, html } from '#base';

/** Widths in SVG units; the drawing is as wide as a phone and scales with the page. */
const WIDTH = 340;
const BAR = 11;
const LABELS = 96;
const COUNTS = 58;
const FULL = WIDTH - LABELS - COUNTS;

/** A pair of bars for each label. */
export interface PairedBar {
  readonly label: string;
  readonly before: number;
  readonly after: number;
}

/**
 * Draws pairs of bars, one below the other to fit a phone.
 * @param name describes the plot for screen readers
 */
export function pairedBars(
  name: string,
  bars: readonly PairedBar[],
  number: (count: number) => string,
): Html {
  const most = Math.max(1, ...bars.flatMap(({ before, after }) => [before, after]));
  const step = 2 * BAR + 10;
  const rows = bars.map(({ label, before, after }, index) => {
    const y = index * step + 2;
    const one = (count: number, top: number, kind: string) =>
      html`<rect class="bar-${kind}" x="${LABELS}" y="${top}" width="${widthOf(count, most)}" height="${BAR}" rx="2"/><text class="count" x="${LABELS + widthOf(count, most) + 4}" y="${top + BAR - 1}">${number(count)}</text>`;
    return html`<text x="${LABELS - 6}" y="${y + BAR + 4}" text-anchor="end">${label}</text>${one(before, y, 'before')}${one(after, y + BAR + 1, 'after')}`;
  });
  return html`<svg viewBox="0 0 ${WIDTH} ${bars.length * step}" role="img" aria-label="${name}">${rows}</svg>`;
}

/** A bar to the left for losses, one to the right for gains. */
export interface DivergingBar {
  readonly label: string;
  readonly lost: number;
  readonly gained: number;
}

/**
 * Draws losses to the left and gains to the right of a middle line, each below its label.
 * @param words what the figures mean, for screen readers
 */
export function divergingBars(
  bars: readonly DivergingBar[],
  words: { readonly lose: string; readonly gain: string },
  number: (count: number) => string,
): Html {
  const most = Math.max(1, ...bars.flatMap(({ lost, gained }) => [lost, gained]));
  const middle = WIDTH / 2;
  const half = middle - COUNTS;
  const rows = bars.map(({ label, lost, gained }) => {
    const left = (lost / most) * half;
    const right = (gained / most) * half;
    const [less, more] = [signed(-lost, number), signed(gained, number)];
    return html`<div class="bar"><p>${label}</p><svg viewBox="0 0 ${WIDTH} ${BAR + 4}" role="img" aria-label="${words.lose}: ${number(lost)}, ${words.gain}: ${number(gained)}"><rect class="bar-down" x="${middle - left}" y="2" width="${left}" height="${BAR}" rx="2"/><text class="count" x="${middle - left - 4}" y="${BAR + 1}" text-anchor="end">${less}</text><rect class="bar-up" x="${middle}" y="2" width="${right}" height="${BAR}" rx="2"/><text class="count" x="${middle + right + 4}" y="${BAR + 1}">${more}</text></svg></div>`;
  });
  return html`${rows}`;
}

/** With a sign that can't be mistaken for a hyphen. */
export function signed(by: number, number: (count: number) => string): string {
  if (by === 0) return '0';
  return by > 0 ? `+${number(by)}` : `−${number(-by)}`;
}

/** Even a single wallet is visible. */
function widthOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(1, Math.round((count / most) * FULL * 10) / 10);
}
