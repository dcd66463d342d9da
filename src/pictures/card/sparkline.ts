import { coordinate as c } from './svg.ts';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Fewer don't make a line. */
export const LEAST_POINTS = 2;

/**
 * A line of scores over days, filled below. A score holds until it changes, so the line has steps.
 * @param points oldest first, at least LEAST_POINTS
 */
export function sparkline(
  points: readonly (readonly [day: number, score: number])[],
  { x, y, width, height }: Box,
  colour: string,
): string {
  const [first = 0] = points[0] ?? [];
  const [last = 0, end = 0] = points.at(-1) ?? [];
  const scores = points.map(([, score]) => score);
  const least = Math.min(...scores);
  const most = Math.max(...scores);
  const across = (day: number) => c(x + ((day - first) / Math.max(1, last - first)) * width);
  const up = (score: number) =>
    c(y + height - ((score - least) / Math.max(1, most - least)) * height);
  const steps = points.map(([day, score], i) =>
    i === 0 ? `M${across(day)} ${up(score)}` : `H${across(day)}V${up(score)}`,
  );
  const line = steps.join('');
  const floor = c(y + height + 8);
  return `<defs><linearGradient id="area" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${colour}" stop-opacity="0.38"/><stop offset="1" stop-color="${colour}" stop-opacity="0.04"/></linearGradient></defs>
<path d="${line}V${floor}H${c(x)}Z" fill="url(#area)"/>
<path d="${line}" fill="none" stroke="${colour}" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="${across(last)}" cy="${up(end)}" r="11" fill="${colour}"/>`;
}
