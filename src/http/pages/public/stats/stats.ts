import { DAY_SECONDS, dayOf, type Html, html, NOTHING } from '#base';
import { shareOf } from '#command';
import { formatDate } from '#http/pages/public/dates';
import {
  dataNote,
  type PagePart,
  type PublicPage,
  partSection,
  partValue,
  readPart,
  section,
} from '#http/pages/public/layout';
import { tierPicture } from '#http/pages/public/pictures';
import { percentX } from '#http/pages/public/plots/axes';
import type { PageReader } from '#http/pages/public/reader';
import type { PublicRoute } from '#http/pages/public/route';
import {
  type GlobalStats,
  type Growth,
  lowestScoreOf,
  type Reading,
  type ReputationSource,
  TIERS,
  type Tier,
  type TierThresholds,
  tierKey,
} from '#reputation';
import { CHAINS } from '#wallet';
import {
  type GrowthPoint,
  growthPoints,
  growthRows,
  type ScoreEdge,
  scoreEdges,
} from './points.ts';

interface StatsRouteOptions {
  readonly source: ReputationSource;
  readonly thresholds: TierThresholds;
}

/** `/stats` */
export function statsPageRoute({ source, thresholds }: StatsRouteOptions): PublicRoute {
  const edges = scoreEdges(thresholds);
  return {
    url: '/stats',
    answer: (_, reader) => ({
      key: '/stats',
      async make() {
        const reading = source.reading('visitor');
        const stats = await reading.stats();
        const counts = await readPart(() => reading.countFrom(edges.map(({ from }) => from)));
        const growth = await readPart(() => reading.growth());
        const content = { stats, edges, counts, growth, reading, thresholds };
        const isMissing = [counts, growth].includes('unavailable');
        const isPartial = isMissing || partValue(growth)?.isBehind === true;
        return { page: await statsPage(content, reader), isPartial };
      },
    }),
  };
}

/** A share of the longest bar. */
const LEAST_BAR = 0.02;

interface StatsContent {
  readonly stats: GlobalStats;
  readonly edges: readonly ScoreEdge[];
  /** How many wallets have at least the score of each edge. */
  readonly counts: PagePart<readonly number[]>;
  readonly growth: PagePart<Growth>;
  readonly thresholds: TierThresholds;
  readonly reading: Reading;
}

/** Loaded with the first page that has a plot: starting the service doesn't need them. */
const loadPlots = () => import('./plots.ts');

/** Statistics about all wallets. */
async function statsPage(content: StatsContent, reader: PageReader): Promise<PublicPage> {
  const { stats, reading } = content;
  const { words, texts } = reader;
  const { stats: own } = words.pages;
  const { number } = texts;
  const [users, average, issued] = [
    number(stats.totalUsers),
    number(stats.averageScore),
    number(stats.totalBadgesIssued),
  ];
  return {
    kind: 'stats',
    section: 'stats',
    path: '/stats',
    title: own.title,
    description: own.description(users, average, issued),
    data: dataNote(reading),
    main: html`<h1>${own.title}</h1>
<dl class="facts"><div><dt>${texts.stats.wallets}</dt><dd>${users}</dd></div><div><dt>${texts.stats.average}</dt><dd>${average}</dd></div><div><dt>${texts.stats.badges}</dt><dd>${issued}</dd></div></dl>
<div class="columns"><div>${section('tiers', texts.stats.byTier, tierTable(content, reader))}${await distribution(content, reader)}</div>
<div>${await chains(content, reader)}${await growthSection(content.growth, reading.asOf, reader)}</div></div>`,
  };
}

function tierTable({ stats, thresholds }: StatsContent, { texts, words }: PageReader): Html {
  const countOf = (tier: Tier) => stats.topTier[tierKey(tier)];
  const most = Math.max(1, ...TIERS.map(countOf));
  const rows = TIERS.map((tier) => {
    const count = countOf(tier);
    return html`<tr><th scope="row">${tierPicture(tier)}<span>${texts.tiers[tier]}<small>${texts.help.from(texts.number(lowestScoreOf(tier, thresholds)))}</small></span></th><td class="wide"><svg class="meter" height="12" aria-hidden="true"><rect class="${tier.toLowerCase()}" width="${percentX(barOf(count, most))}" height="12" rx="4"/></svg></td><td>${texts.number(count)}</td><td>${shareOf(count, stats.totalUsers, texts)}</td></tr>`;
  });
  const { wallet, stats: own } = words.pages;
  return html`<table class="tiers"><thead class="unseen"><tr><th scope="col">${wallet.tier}</th><td class="wide"></td><th scope="col">${texts.stats.wallets}</th><th scope="col">${own.share}</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** A few among many still have a bar. */
function barOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(LEAST_BAR, count / most);
}

async function chains({ stats }: StatsContent, { texts, words }: PageReader): Promise<Html> {
  const { ringPlot } = await loadPlots();
  const { stats: own, leaderboard } = words.pages;
  const parts = CHAINS.map((kind) => ({ kind, count: stats.chains[kind].users }));
  const rows = parts.map(
    ({ kind, count }) =>
      html`<tr><th scope="row"><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><path class="${kind}" d="M0 0h10v10H0z"/></svg>${texts.chains[kind]}</th><td>${texts.number(count)}</td><td>${shareOf(count, stats.totalUsers, texts)}</td></tr>`,
  );
  return section(
    'chains',
    texts.stats.byChain,
    html`${stats.totalUsers > 0 ? ringPlot(parts, texts.stats.byChain) : ''}<table class="plain"><thead><tr><th scope="col">${leaderboard.chains}</th><th scope="col">${texts.stats.wallets}</th><th scope="col">${own.share}</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

async function distribution(content: StatsContent, reader: PageReader): Promise<Html> {
  const { counts, edges } = content;
  const { words, texts } = reader;
  const { stats: own, asTable } = words.pages;
  const { distributionPlot, isLogarithmic } = await loadPlots();
  const body = partSection(counts, reader, (atLeast) => {
    // Axes without a bar would look like a plot that failed to load.
    if (atLeast.every((count) => count === 0)) return html`<p>${texts.top.none}</p>`;
    const inRange = atLeast.map((count, i) => count - (atLeast[i + 1] ?? 0));
    const rows = edges.map(({ from }, i) => {
      const next = edges[i + 1]?.from;
      const range =
        next === undefined
          ? own.over(texts.number(from))
          : `${texts.number(from)}–${texts.number(next - 1)}`;
      return html`<tr><th scope="row">${range}</th><td>${texts.number(inRange[i] ?? 0)}</td></tr>`;
    });
    const label = own.scores.about;
    return html`<p class="quiet">${label}${isLogarithmic(inRange) ? ` ${own.scores.logarithmic}` : ''}</p>
${distributionPlot({ edges, counts: inRange, texts, label })}
<details><summary>${asTable}</summary><table class="plain"><thead><tr><th scope="col">${own.scores.range}</th><th scope="col">${texts.stats.wallets}</th></tr></thead><tbody>${rows}</tbody></table></details>`;
  });
  return section('scores', own.scores.title, body);
}

/**
 * Wallets over time, as a plot and as a table.
 * @param asOf of the data, in seconds since 1970
 */
async function growthSection(
  growth: PagePart<Growth>,
  asOf: number | undefined,
  reader: PageReader,
): Promise<Html> {
  const { growthPlot } = await loadPlots();
  const { texts, words } = reader;
  const { growth: own } = words.pages.stats;
  const body = partSection(growth, reader, ({ days, isBehind }) => {
    const points = growthPoints(days);
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return html`<p>${texts.top.none}</p>`;
    const until = Math.max(dayOf(asOf ?? 0), last.day);
    const shown = (day: number) => formatDate(day * DAY_SECONDS, words.language);
    const chains = CHAINS.filter((chain) => last.wallets[chain] > 0);
    const label = own.about(
      ...[shown(first.day), texts.number(first.total)],
      ...[shown(until), texts.number(last.total)],
    );
    const legend = chains.map(
      (chain) =>
        html`<li><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><path class="${chain}" d="M0 0h10v10H0z"/></svg>${texts.chains[chain]}</li>`,
    );
    return html`<p class="quiet">${own.explained}${isBehind ? ` ${own.behind}` : NOTHING}</p>
<ul class="legend">${legend}</ul>
${growthPlot({ points, chains, until, texts, label })}
<details><summary>${words.pages.asTable}</summary>${table(points, chains, until, reader)}</details>`;
  });
  return section('growth', own.title, body);
}

function table(
  points: readonly GrowthPoint[],
  chains: (typeof CHAINS)[number][],
  until: number,
  { texts, words }: PageReader,
): Html {
  const { growth: own } = words.pages.stats;
  const head = (text: string) => html`<th scope="col">${text}</th>`;
  const cell = (count: number) => html`<td>${texts.number(count)}</td>`;
  const rows = growthRows(points, until, words.language).map(
    ([name, { wallets, total }]) =>
      html`<tr><th scope="row">${name}</th>${chains.map((chain) => cell(wallets[chain]))}${cell(total)}</tr>`,
  );
  return html`<table class="plain"><thead><tr>${head(own.by)}${chains.map((chain) => head(texts.chains[chain]))}${head(own.all)}</tr></thead><tbody>${rows}</tbody></table>`;
}
