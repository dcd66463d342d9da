import { DAY_SECONDS, dayOf, type Html, html, NOTHING, parseDay, safeText } from '#base';
import { dateTag, formatDate, formatMonth } from '#http/pages/public/dates';
import {
  type PagePart,
  partSection,
  partValue,
  readPart,
  section,
} from '#http/pages/public/layout';
import { badgePicture } from '#http/pages/public/pictures';
import { percentX } from '#http/pages/public/plots/axes';
import { type PageReader, pathFor } from '#http/pages/public/reader';
import {
  type Activity,
  type ActivityList,
  type BadgeList,
  type Breakdown,
  byRarity,
  type ChainEvent,
  type EarnedBadge,
  type ExplorerLinks,
  HISTORY_MAX,
  type Reading,
  type Reputation,
  type ReputationSource,
  type RuleShare,
  type ScoreDay,
  type ScoreHistory,
  type TierThresholds,
} from '#reputation';
import { activityIn, activityTypeIn } from '#scoring';
import type { Wallet } from '#wallet';

/** How many activities a page lists. */
const ACTIVITIES_SHOWN = 12;
/** How often to read again if the data changes in between. */
const ATTEMPTS = 3;

/** What is told beside the reputation where no single state can be read. */
const NO_PARTS = {
  badges: 'unavailable',
  breakdown: 'unavailable',
  history: 'unavailable',
  activity: 'unavailable',
  events: new Map(),
} as const;

/** What a wallet's page shows. */
export interface WalletData {
  readonly reputation: Reputation;
  readonly name: string | undefined;
  readonly badges: PagePart<BadgeList>;
  readonly breakdown: PagePart<Breakdown>;
  readonly history: PagePart<ScoreHistory>;
  readonly activity: PagePart<ActivityList>;
  /** By activity id. */
  readonly events: ReadonlyMap<string, ChainEvent>;
  readonly reading: Reading;
}

/**
 * Reads everything about a wallet from a single state of the data. Only the reputation is required; the page
 * says which other parts are missing.
 * @param language of the rules' titles
 * @returns undefined if the wallet has no activity
 * @throws RetryableError if the reputation is unavailable
 */
export async function collectWallet(
  source: ReputationSource,
  wallet: Wallet,
  language: string,
): Promise<WalletData | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { revision } = source.reading('visitor');
    const data = await readOnce(source.reading('visitor'), wallet, language);
    if (source.reading('visitor').revision === revision) return data;
    // Parts of different states might contradict each other.
    if (attempt === ATTEMPTS) return data && { ...data, ...NO_PARTS };
  }
}

async function readOnce(
  reading: Reading,
  wallet: Wallet,
  language: string,
): Promise<WalletData | undefined> {
  const reputation = await reading.reputation(wallet);
  if (reputation === undefined) return undefined;
  const [name, badges, breakdown, history, activity] = await Promise.all([
    reading.nameOf(wallet),
    readPart(() => reading.badges(wallet)),
    readPart(() => reading.breakdown(wallet, language)),
    readPart(() => reading.history(wallet, {})),
    readPart(() => reading.activity(wallet, ACTIVITIES_SHOWN)),
  ]);
  const listed = partValue(activity)?.activities ?? [];
  const events = partValue(await readPart(() => reading.chainEvents(wallet, listed))) ?? new Map();
  return { reputation, name, badges, breakdown, history, activity, events, reading };
}

/** Whether a missing part may be available later. */
export function isPartial({ badges, breakdown, history, activity }: WalletData): boolean {
  return [badges, breakdown, history, activity].includes('unavailable');
}

/** Maximum characters of a description. */
const TEXT_MAX = 140;

/** The newest activities, with explorer links to their events. */
export function activitySection(
  { activity, events }: WalletData,
  reader: PageReader,
  explorers: ExplorerLinks,
): Html {
  const { title } = reader.words.pages.wallet.activity;
  const body = partSection(activity, reader, (list) => listed(list, events, reader, explorers));
  return section('activity', title, body);
}

function listed(
  { activities, total }: ActivityList,
  events: WalletData['events'],
  reader: PageReader,
  explorers: ExplorerLinks,
): Html {
  const { texts, words } = reader;
  if (activities.length === 0) {
    return html`<p class="quiet">${words.pages.wallet.activity.none}</p>`;
  }
  const shown = texts.number(activities.length);
  const rest =
    total > activities.length
      ? html`<p class="quiet">${texts.activity.onlyNewest(shown, texts.number(total))}</p>`
      : NOTHING;
  return html`<ul class="deeds">${activities.map((each) => deed(each, events.get(each.id), reader, explorers))}</ul>${rest}`;
}

function deed(
  { type, description, points, timestamp }: Activity,
  event: ChainEvent | undefined,
  { texts, words }: PageReader,
  explorers: ExplorerLinks,
): Html {
  const kind = activityTypeIn(type, texts);
  const text = safeText(activityIn({ type, description }, texts), TEXT_MAX) || kind;
  const sign = points < 0 ? ' minus' : points > 0 ? ' plus' : '';
  return html`<li><span class="points${sign}">${texts.signed(points)}</span><span class="what"><bdi>${text}</bdi><small>${kind} · ${dateTag(timestamp, words.language)}${evidence(event, texts.explorer, explorers)}</small></span></li>`;
}

function evidence(
  event: ChainEvent | undefined,
  labels: { readonly transaction: string; readonly proposal: string },
  explorers: ExplorerLinks,
): Html {
  if (event === undefined) return NOTHING;
  const url = explorers.event(event);
  if (url === undefined) return NOTHING;
  const label = event.vote === undefined ? labels.transaction : labels.proposal;
  return html` · <a href="${url}" rel="nofollow noopener external">${label}</a>`;
}

/** Only the number of further badges is shown. */
const BADGES_SHOWN = 60;

/** All badges, rarest first, with links to their holders. */
export function badgesSection(
  { badges }: WalletData,
  reader: PageReader,
  isPictured: boolean,
): Html {
  const { texts, words } = reader;
  const body = partSection(badges, reader, ({ badges: all, total }) => {
    if (total === 0) return html`<p class="quiet">${texts.rep.noBadges}</p>`;
    const shown = byRarity(all).slice(0, BADGES_SHOWN);
    const more = total - shown.length;
    return html`<ul class="badges">${shown.map((each) => badge(each, reader, isPictured))}</ul>${
      more > 0 ? html`<p class="quiet">${texts.rep.more(texts.number(more))}</p>` : NOTHING
    }`;
  });
  const count =
    typeof badges === 'string'
      ? NOTHING
      : html` <span class="count">${texts.number(badges.value.total)}</span>`;
  return section('badges', words.pages.wallet.badges.title, body, count);
}

function badge(of: EarnedBadge, reader: PageReader, isPictured: boolean): Html {
  const { texts, words } = reader;
  const { id, name, tier, earnedAt } = of;
  const path = pathFor(reader, `/badges/${encodeURIComponent(id)}`);
  return html`<li>${badgePicture(of, isPictured)}<span class="what"><a href="${path}"><bdi>${safeText(name, 60)}</bdi></a><small>${texts.rarities[tier]} · ${dateTag(earnedAt, words.language)}</small></span></li>`;
}

const RULES_SHOWN = 20;
/** Maximum characters of a rule's title: it may name many contracts. */
const TITLE_MAX = 160;

/** Points by rule, and what was held back. */
export function rulesSection({ breakdown }: WalletData, reader: PageReader): Html {
  const { title } = reader.words.pages.wallet.rules;
  return section(
    'rules',
    title,
    partSection(breakdown, reader, (of) => rulesTable(of, reader)),
  );
}

/** A row of the table. */
interface Share {
  readonly points: number;
  readonly title: string;
  readonly detail: Html;
}

function rulesTable({ rules, imported, asOf }: Breakdown, reader: PageReader): Html {
  const { texts, words } = reader;
  const { rules: own } = words.pages.wallet;
  const ordered = rules.toSorted((one, other) => Math.abs(other.points) - Math.abs(one.points));
  const shares = ordered.slice(0, RULES_SHOWN).map((each) => shareOfRule(each, reader));
  const others = ordered.slice(RULES_SHOWN);
  if (others.length > 0) {
    const points = others.reduce((sum, each) => sum + each.points, 0);
    const title = texts.whyScore.otherRules(others.length, texts.number(others.length));
    shares.push({ points, title, detail: NOTHING });
  }
  if (imported.count > 0) {
    const { points, count } = imported;
    const detail = html`${own.importedAbout(count, texts.number(count))}`;
    shares.push({ points, title: own.imported, detail });
  }
  const most = Math.max(1, ...shares.map(({ points }) => Math.abs(points)));
  const sum = shares.reduce((all, { points }) => all + points, 0);
  const note =
    asOf === null
      ? texts.whyScore.noRules
      : sum < 0
        ? texts.whyScore.floored(texts.signed(sum))
        : own.about;
  return html`<p class="quiet">${note}</p>
<table class="shares"><thead class="unseen"><tr><th scope="col">${own.rule}</th><th scope="col">${own.points}</th></tr></thead>
<tbody>${shares.map((each) => row(each, most, texts.signed))}</tbody></table>${
    asOf === null
      ? NOTHING
      : html`<p class="quiet">${own.asOf} ${dateTag(asOf, words.language)}</p>`
  }`;
}

function row({ points, title, detail }: Share, most: number, signed: (value: number) => string) {
  const sign = points < 0 ? ' minus' : '';
  return html`<tr><th scope="row"><bdi>${title}</bdi> <small>${detail}</small></th><td class="points${sign}">${signed(points)}<svg class="meter" height="6" aria-hidden="true"><rect width="${percentX(Math.abs(points) / most)}" height="6" rx="3"/></svg></td></tr>`;
}

function shareOfRule(rule: RuleShare, { texts, words }: PageReader): Share {
  const { whyScore, number } = texts;
  const { points, title, called = title, words: inWords, count, counts = 'times', newest } = rule;
  const held = [
    ...(rule.capped > 0 ? [whyScore.capped(number(rule.capped))] : []),
    ...(rule.discounted > 0 ? [whyScore.discounted(number(rule.discounted))] : []),
    ...(rule.decayed > 0 ? [whyScore.decayed(number(rule.decayed))] : []),
    ...(inWords === undefined ? [] : [safeText(inWords, TITLE_MAX)]),
  ];
  const counted = whyScore.counted[counts](count, number(count));
  const detail = html`${counted}, ${whyScore.newest} ${dateTag(newest, words.language)}${held.map((each) => html` · ${each}`)}`;
  return { points, title: safeText(called, TITLE_MAX), detail };
}

/** Maximum rows of the table behind the plot. */
const ROWS_MAX = 60;

/** The score over time, as a plot and as a table. */
export async function historySection(
  { history, reading }: WalletData,
  reader: PageReader,
  thresholds: TierThresholds,
): Promise<Html> {
  const { title } = reader.words.pages.wallet.history;
  // Loaded with the first page that has a plot: starting the service doesn't need it.
  const { historyPlot } = await import('#http/pages/public/plots/history');
  const body = partSection(history, reader, ({ days }: ScoreHistory) => {
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) {
      return html`<p class="quiet">${reader.texts.rep.unseen}</p>`;
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
    return html`${isCut ? html`<p class="quiet">${note}</p>` : NOTHING}${historyPlot({ days, until, thresholds, texts, label })}
<details><summary>${words.pages.asTable}</summary>${table(days, reader)}</details>`;
  });
  return section('history', title, body);
}

function shownDay(day: string, language: string): string {
  return formatDate((parseDay(day) ?? 0) * DAY_SECONDS, language);
}

/** One row per day, or per month if that's too many. */
function table(days: readonly ScoreDay[], { texts, words }: PageReader): Html {
  const isFew = days.length <= ROWS_MAX;
  const byMonth = new Map(days.map((each) => [each.day.slice(0, 7), each]));
  const rows = (isFew ? days : [...byMonth.values()].slice(-ROWS_MAX)).toReversed();
  const shown = (day: string) =>
    isFew
      ? shownDay(day, words.language)
      : formatMonth((parseDay(day) ?? 0) * DAY_SECONDS, words.language);
  const { pages } = words;
  return html`<table class="plain"><thead><tr><th scope="col">${isFew ? pages.day : pages.month}</th><th scope="col">${pages.wallet.score}</th></tr></thead><tbody>${rows.map(
    ({ day, score }) =>
      html`<tr><th scope="row">${shown(day)}</th><td>${texts.number(score)}</td></tr>`,
  )}</tbody></table>`;
}
