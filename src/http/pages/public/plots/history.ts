import { scaleLinear, scaleUtc } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import { type Html, html, parseDay } from '#base';
import type { Texts } from '#command/texts';
import { lowestScoreOf, type ScoreDay, TIERS, type TierThresholds } from '#reputation';
import {
  BOTTOM,
  gridLine,
  HEIGHT,
  INNER,
  round,
  TOP,
  thinned,
  tickText,
  timeLabels,
  timeOf,
} from './axes.ts';

const LABEL_HEIGHT = 14;
/** The least number of days to cover, so that a new wallet's plot isn't a point. */
const LEAST_DAYS = 30;

export interface HistoryPlot {
  /** Oldest first, at least one. */
  readonly days: readonly ScoreDay[];
  /** The last day to show. */
  readonly until: number;
  readonly thresholds: TierThresholds;
  readonly texts: Texts;
  /** Describes the plot. */
  readonly label: string;
}

/** Points of a step line: a day since 1970, and the score from then on. */
type Point = readonly [day: number, score: number];

/** A score over time. The drawing stretches to the available width, the labels don't. */
export function historyPlot({ days, until, thresholds, texts, label }: HistoryPlot): Html {
  const points = days.map(({ day, score }): Point => [parseDay(day) ?? 0, score]);
  const [first] = points[0] as Point;
  const end = Math.max(until, points.at(-1)?.[0] ?? 0);
  const start = Math.min(first, end - LEAST_DAYS);
  const highest = Math.max(10, ...points.map(([, score]) => score));
  const x = scaleUtc([start, end].map(timeOf), [0, 100]);
  const innerX = (day: number) => (x(timeOf(day)) * INNER) / 100;
  const y = scaleLinear([0, highest * 1.06], [HEIGHT - BOTTOM, TOP]);
  const inner = scaleLinear(y.range(), [INNER, 0]);

  const last = points.at(-1) as Point;
  const steps = [...thinned(points, x, ([day]) => day), [end, last[1]] as const];
  const path = line<Point>(
    ([day]) => innerX(day),
    ([, score]) => inner(y(score)),
  )
    .curve(curveStepAfter)
    .digits(0)(steps);
  const from = Math.round(innerX(first));

  const shown = tickText(highest, texts.language);
  return html`<svg class="plot history" role="img" aria-label="${label}" height="${HEIGHT}">
${y.ticks(4).map((tick) => gridLine(y(tick), shown(tick)))}
${tierLines(thresholds, highest, y, texts)}
<svg y="${TOP}" height="${HEIGHT - TOP - BOTTOM}" width="100%" viewBox="0 0 ${INNER} ${INNER}" preserveAspectRatio="none"><path class="area" d="${path ?? ''}V${INNER}H${from}Z"/><path class="line" d="${path ?? ''}"/></svg>
<circle cx="100%" cy="${round(y(last[1]))}" r="4"/>
${timeLabels(x, end - start, texts.language)}
</svg>`;
}

/** The tiers' thresholds, so that steps between tiers stand out. */
function tierLines(
  thresholds: TierThresholds,
  highest: number,
  y: (score: number) => number,
  texts: Texts,
): Html[] {
  let above = Number.NEGATIVE_INFINITY;
  return TIERS.flatMap((tier) => {
    const from = lowestScoreOf(tier, thresholds);
    if (from === 0 || from > highest) return [];
    const at = round(y(from));
    // With a high score, the lower thresholds are too close together to label.
    if (at - above < LABEL_HEIGHT) return [];
    above = at;
    return [
      html`<g class="tier ${tier.toLowerCase()}"><line x2="100%" y1="${at}" y2="${at}"/><text x="100%" y="${at - 4}" text-anchor="end">${texts.tiers[tier]}</text></g>`,
    ];
  });
}
