import { DAY_SECONDS, dayOf, parseDay } from '#base';
import { formatDate, formatMonth } from '#http/pages/public/dates';
import { type Markup, markup, NOTHING } from '#http/pages/public/markup';
import type { PageReader } from '#http/pages/public/reader';
import type { WalletData } from '#http/pages/public/wallet-data';
import { HISTORY_MAX, type ScoreDay, type ScoreHistory, type TierThresholds } from '#reputation';
import { partSection, section } from './section.ts';

/** Maximum rows of the table behind the plot. */
const ROWS_MAX = 60;

/** The score over time, as a plot and as a table. */
export async function historySection(
  { history, reading }: WalletData,
  reader: PageReader,
  thresholds: TierThresholds,
): Promise<Markup> {
  const { title } = reader.words.pages.wallet.history;
  // Loaded with the first page that has a plot: starting the service doesn't need it.
  const { historyPlot } = await import('#http/pages/public/plots/history');
  const body = partSection(history, reader, ({ days }: ScoreHistory) => {
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) {
      return markup`<p class="quiet">${reader.texts.rep.unseen}</p>`;
    }
    const { texts, words } = reader;
    const { wallet } = words.pages;
    const until = Math.max(dayOf(reading.asOf ?? 0), parseDay(last.day) ?? 0);
    const from = shownDay(first.day, words.language);
    const end = formatDate(until * DAY_SECONDS, words.language);
    const scores = [texts.number(first.score), texts.number(last.score)] as const;
    const label = wallet.history.about(from, scores[0], end, scores[1]);
    const isCut = days.length === HISTORY_MAX;
    const note = wallet.history.newest(texts.number(days.length));
    return markup`${isCut ? markup`<p class="quiet">${note}</p>` : NOTHING}${historyPlot({ days, until, thresholds, texts, label })}
<details><summary>${words.pages.asTable}</summary>${table(days, reader)}</details>`;
  });
  return section('history', title, body);
}

function shownDay(day: string, language: string): string {
  return formatDate((parseDay(day) ?? 0) * DAY_SECONDS, language);
}

/** One row per day, or per month if that's too many. */
function table(days: readonly ScoreDay[], { texts, words }: PageReader): Markup {
  const isFew = days.length <= ROWS_MAX;
  const byMonth = new Map(days.map((each) => [each.day.slice(0, 7), each]));
  const rows = (isFew ? days : [...byMonth.values()].slice(-ROWS_MAX)).toReversed();
  const shown = (day: string) =>
    isFew
      ? shownDay(day, words.language)
      : formatMonth((parseDay(day) ?? 0) * DAY_SECONDS, words.language);
  const { pages } = words;
  return markup`<table class="plain"><thead><tr><th scope="col">${isFew ? pages.day : pages.month}</th><th scope="col">${pages.wallet.score}</th></tr></thead><tbody>${rows.map(
    ({ day, score }) =>
      markup`<tr><th scope="row">${shown(day)}</th><td>${texts.number(score)}</td></tr>`,
  )}</tbody></table>`;
}
