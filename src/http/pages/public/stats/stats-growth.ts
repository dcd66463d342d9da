import { DAY_SECONDS, dayOf, type Html, html, NOTHING } from '#base';
import { formatDate } from '#http/pages/public/dates';
import { partSection, section } from '#http/pages/public/layout';
import type { PagePart } from '#http/pages/public/page-part';
import type { PageReader } from '#http/pages/public/reader';
import type { Growth } from '#reputation';
import { CHAINS } from '#wallet';
import { type GrowthPoint, growthPoints, growthRows } from './growth-points.ts';

/**
 * Wallets over time, as a plot and as a table.
 * @param asOf of the data, in seconds since 1970
 */
export async function growthSection(
  growth: PagePart<Growth>,
  asOf: number | undefined,
  reader: PageReader,
): Promise<Html> {
  // Loaded with the first page that has a plot: starting the service doesn't need it.
  const { growthPlot } = await import('#http/pages/public/plots/growth');
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
