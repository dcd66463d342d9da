import { scaleBand, scaleLinear, scaleLog } from 'd3-scale';
import { type Html, html } from '#base';
import type { Texts } from '#command/texts';
import type { ScoreEdge } from '#http/pages/public/stats/score-edges';
import { gridLine, round, tickText } from './axes.ts';

/** Pixels; widths are percentages of the plot without labels. */
const HEIGHT = 240;
const TOP = 16;
const BOTTOM = 26;
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
  const range = [HEIGHT - BOTTOM, TOP];
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
    const top = count === 0 ? HEIGHT - BOTTOM : y(count);
    const height = HEIGHT - BOTTOM - top;
    return html`<rect class="${tier.toLowerCase()}" x="${round(x(i) ?? 0)}%" y="${round(top)}" width="${round(x.bandwidth())}%" height="${round(height)}" rx="2"/>`;
  });
  const lines = ticks.map((tick) => gridLine(y(tick), countText(tick)));
  const starts = edges.flatMap(({ tier, from }, i) =>
    i > 0 && edges[i - 1]?.tier === tier
      ? []
      : [html`<text x="${round(x(i) ?? 0)}%" y="${HEIGHT - 8}">${scoreText(from)}</text>`],
  );
  return html`<svg class="plot distribution" role="img" aria-label="${label}" height="${HEIGHT}">${lines}${bars}${starts}</svg>`;
}
