import { scaleLinear, scaleUtc } from 'd3-scale';
import { area, curveStepAfter } from 'd3-shape';
import { type Html, html } from '#base';
import type { Texts } from '#command/texts';
import type { GrowthPoint } from '#http/pages/public/stats/growth-points';
import type { Chain } from '#wallet';
import {
  BOTTOM,
  gridLine,
  HEIGHT,
  INNER,
  round,
  type TimeScale,
  TOP,
  thinned,
  tickText,
  timeLabels,
  timeOf,
} from './axes.ts';

/** The least number of days to cover, so that a first import's plot isn't a point. */
const LEAST_DAYS = 30;

export interface GrowthPlot {
  /** Oldest first, at least one. */
  readonly points: readonly GrowthPoint[];
  /** From the bottom up. */
  readonly chains: readonly Chain[];
  /** The last day to show. */
  readonly until: number;
  readonly texts: Texts;
  /** Describes the plot. */
  readonly label: string;
}

/** Wallets over time: the chains stacked on top of each other. */
export function growthPlot({ points, chains, until, texts, label }: GrowthPlot): Html {
  const [first, last] = [points[0] as GrowthPoint, points.at(-1) as GrowthPoint];
  const end = Math.max(until, last.day);
  const start = Math.min(first.day, end - LEAST_DAYS);
  const x = scaleUtc([start, end].map(timeOf), [0, 100]);
  const y = scaleLinear([0, last.total * 1.06], [HEIGHT - BOTTOM, TOP]);
  const steps = [...thinned(points, x, ({ day }) => day), { ...last, day: end }];
  const bands = chains.map((chain, i) => band(steps, chain, chains.slice(0, i), x, last.total));
  const shown = tickText(last.total, texts.language);
  const lines = y
    .ticks(4)
    .filter(Number.isInteger)
    .map((tick) => gridLine(y(tick), shown(tick)));
  return html`<svg class="plot growth" role="img" aria-label="${label}" height="${HEIGHT}">
<svg y="${TOP}" height="${HEIGHT - TOP - BOTTOM}" width="100%" viewBox="0 0 ${INNER} ${INNER}" preserveAspectRatio="none">${bands}</svg>
${lines}
<circle cx="100%" cy="${round(y(last.total))}" r="4"/>
${timeLabels(x, end - start, texts.language)}
</svg>`;
}

/** @param below the chains under this one */
function band(
  steps: readonly GrowthPoint[],
  chain: Chain,
  below: readonly Chain[],
  x: TimeScale,
  most: number,
): Html {
  const inner = scaleLinear([0, most * 1.06], [INNER, 0]);
  const floorOf = ({ wallets }: GrowthPoint) => below.reduce((sum, each) => sum + wallets[each], 0);
  const path = area<GrowthPoint>()
    .x(({ day }) => (x(timeOf(day)) * INNER) / 100)
    .y0((point) => inner(floorOf(point)))
    .y1((point) => inner(floorOf(point) + point.wallets[chain]))
    .curve(curveStepAfter)
    .digits(0)(steps);
  return html`<path class="${chain}" d="${path ?? ''}"/>`;
}
