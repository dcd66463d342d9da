import { scaleBand, scaleLinear, scaleLog, scaleUtc } from 'd3-scale';
import { arc, area, curveStepAfter, type PieArcDatum, pie } from 'd3-shape';
import { type Html, html } from '#base';
import type { Texts } from '#command/texts';
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
} from '#http/pages/public/plots/axes';
import type { Chain } from '#wallet';
import type { GrowthPoint, ScoreEdge } from './points.ts';

/** Pixels; widths are percentages of the plot without labels. */
const BARS_HEIGHT = 240;
const BARS_TOP = 16;
const BARS_BOTTOM = 26;
/** From this count on, use a logarithmic scale, or a few bars would dwarf all others. */
const LOG_FROM = 100;

export interface DistributionPlot {
  readonly edges: readonly ScoreEdge[];
  /** How many wallets are in the range that starts at each edge. */
  readonly counts: readonly number[];
  readonly texts: Texts;
  /** Describes the plot. */
  readonly label: string;
}

/** Whether the grid lines are powers of ten. */
export function isLogarithmic(counts: readonly number[]): boolean {
  return Math.max(...counts) >= LOG_FROM;
}

/** A histogram of wallets by score, in the colours of their tiers. */
export function distributionPlot({ edges, counts, texts, label }: DistributionPlot): Html {
  const x = scaleBand(
    edges.map((_, i) => i),
    [0, 100],
  ).padding(0.12);
  const most = Math.max(1, ...counts);
  const range = [BARS_HEIGHT - BARS_BOTTOM, BARS_TOP];
  const isLog = isLogarithmic(counts);
  // A single wallet has a visible bar, too.
  const y = isLog ? scaleLog([0.5, most], range) : scaleLinear([0, most], range).nice(4);
  const ticks = isLog
    ? y.ticks().filter((tick) => Number.isInteger(Math.log10(tick)))
    : y.ticks(4).filter(Number.isInteger);
  const countText = tickText(most, texts.language);
  const scoreText = tickText(edges.at(-1)?.from ?? 0, texts.language);
  const bars = edges.map(({ tier }, i) => {
    const count = counts[i] ?? 0;
    const top = count === 0 ? BARS_HEIGHT - BARS_BOTTOM : y(count);
    const height = BARS_HEIGHT - BARS_BOTTOM - top;
    return html`<rect class="${tier.toLowerCase()}" x="${round(x(i) ?? 0)}%" y="${round(top)}" width="${round(x.bandwidth())}%" height="${round(height)}" rx="2"/>`;
  });
  const lines = ticks.map((tick) => gridLine(y(tick), countText(tick)));
  const starts = edges.flatMap(({ tier, from }, i) =>
    i > 0 && edges[i - 1]?.tier === tier
      ? []
      : [html`<text x="${round(x(i) ?? 0)}%" y="${BARS_HEIGHT - 8}">${scoreText(from)}</text>`],
  );
  return html`<svg class="plot distribution" role="img" aria-label="${label}" height="${BARS_HEIGHT}">${lines}${bars}${starts}</svg>`;
}

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

/** A part of the ring. */
export interface RingPart {
  /** For the stylesheet. */
  readonly kind: string;
  readonly count: number;
}

const SIZE = 160;

/** A ring chart of shares. @param label describes it */
export function ringPlot(parts: readonly RingPart[], label: string): Html {
  const shape = arc<PieArcDatum<RingPart>>()
    .innerRadius(SIZE / 2 - 26)
    .outerRadius(SIZE / 2)
    .cornerRadius(3)
    .padAngle(0.02)
    .digits(1);
  const slices = pie<RingPart>()
    .value(({ count }) => count)
    .sort(null)([...parts]);
  // Rounded corners may reach slightly beyond.
  const half = SIZE / 2 + 1;
  return html`<svg class="ring" role="img" aria-label="${label}" viewBox="${-half} ${-half} ${2 * half} ${2 * half}">${slices
    .filter(({ data }) => data.count > 0)
    .map((slice) => html`<path class="${slice.data.kind}" d="${shape(slice) ?? ''}"/>`)}</svg>`;
}
