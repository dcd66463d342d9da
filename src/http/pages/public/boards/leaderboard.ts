import type { FastifyRequest } from 'fastify';
import { type Html, html, NOTHING, safeText } from '#base';
import { placeIn } from '#commands/answering';
import { dataNote, type PublicPage } from '#http/pages/public/layout';
import { tierPicture } from '#http/pages/public/pictures';
import { percentX } from '#http/pages/public/plots/axes';
import { type PageReader, pathFor } from '#http/pages/public/reader';
import type { PageOutcome, PublicRoute, RouteAnswer } from '#http/pages/public/route';
import { looksSecret, mayBeHash } from '#linking';
import {
  daysOfPeriod,
  type LeaderboardEntry,
  type LeaderboardQuery,
  type Page,
  PERIOD_CODES,
  type PeriodCode,
  type Reading,
  type ReputationSource,
  readPage,
  type Tier,
} from '#reputation';
import { CHAIN_CODES, type Chain, type ChainCode, chainOfCode, shortAddress } from '#wallet';
import { type FindOptions, type FoundWallet, findForm, findWallets } from './find-wallet.ts';

/** Rows per page. */
const PAGE_SIZE = 50;
const CHOICES = ['all', ...CHAIN_CODES] as const;

interface LeaderboardRouteOptions extends FindOptions {
  readonly source: ReputationSource;
}

/** `/leaderboard?page=&chain=&period=&wallet=`, and `?find=`, which redirects to the page with a wallet's row. */
export function leaderboardPageRoute(options: LeaderboardRouteOptions): PublicRoute {
  const { source } = options;
  return {
    url: '/leaderboard',
    answer(request, reader) {
      const query = readQuery(request);
      if (typeof query === 'string') {
        return { key: `/leaderboard? ${query}`, make: () => ({ lost: query, status: 400 }) };
      }
      const typed = textOf(request, 'find');
      return typed === '' ? shown(query, reader) : find(typed, query, reader);
    },
  };

  function shown(query: BoardQuery, reader: PageReader, note?: BoardNote): RouteAnswer {
    const { chain, page, period = '', wallet = '', warning = '' } = query;
    const mark = note === undefined ? wallet : `? ${note.typed}`;
    return {
      key: `/leaderboard ${chain} ${period} ${page} ${warning} ${mark}`,
      make: () => outcome(query, reader, note),
    };
  }

  async function outcome(
    query: BoardQuery,
    reader: PageReader,
    note: BoardNote | undefined,
  ): Promise<PageOutcome> {
    const reading = source.reading('visitor');
    const chain = filterOf(query.chain);
    const { found: board, page } = await readPage(query.page, PAGE_SIZE, (offset) =>
      readBoard(reading, { chain, limit: PAGE_SIZE, offset }, query.period),
    );
    const chainOf = (address: string): Chain | undefined => {
      if (chain !== 'all') return chain;
      return (source.recognise(address) ?? options.wallets.parse(address)).chain;
    };
    const content = { board, page, query, note, reading, chainOf };
    return {
      page: leaderboardPage(content, reader),
      ...(board.missing === 'counting' && { isPartial: true }),
      ...(note !== undefined && { status: 404 as const }),
    };
  }

  async function find(typed: string, query: BoardQuery, reader: PageReader): Promise<RouteAnswer> {
    // Nothing repeats it, and the browser's history has the page that it's sent to instead.
    if (looksSecret(typed)) {
      const warning = mayBeHash(typed) ? 'hash' : 'secret';
      const path = leaderboardPath({ ...query, page: 1, wallet: undefined });
      return {
        redirect: pathFor(reader, `${path}${path.includes('?') ? '&' : '?'}warning=${warning}`),
      };
    }
    const reading = source.reading('visitor');
    const found = await findWallets(typed, reading, options);
    const [first, ...others] = found;
    if (first === undefined || others.length > 0) {
      return shown(query, reader, { typed, candidates: found });
    }
    const wallet = source.recognise(first.address) ?? options.wallets.parse(first.address);
    const record = await reading.reputation(wallet);
    if (record === undefined) return shown(query, reader, { typed, candidates: found });
    // Other chains' leaderboards don't list it.
    const chain = filterOf(query.chain) === wallet.chain ? query.chain : 'all';
    const place = await placeIn(reading, filterOf(chain), record);
    const page = Math.floor((place?.offset ?? record.rank - 1) / PAGE_SIZE) + 1;
    const path = leaderboardPath({ chain, period: undefined, page, wallet: wallet.address });
    return { redirect: `${pathFor(reader, path)}#found` };
  }
}

/** @returns what there's no such thing of, if the request can't be answered */
function readQuery(request: FastifyRequest): BoardQuery | 'page' | 'board' {
  const chain = CHOICES.find((each) => each === (textOf(request, 'chain') || 'all'));
  const asked = textOf(request, 'period');
  const period = PERIOD_CODES.find((each) => each === asked);
  const page = textOf(request, 'page') || '1';
  if (chain === undefined || (asked !== '' && period === undefined)) return 'board';
  if (!/^[1-9]\d{0,8}$/.test(page)) return 'page';
  // Truncated, since it's part of a cache key.
  const wallet = textOf(request, 'wallet').slice(0, 64) || undefined;
  const warning = WARNINGS.find((each) => each === textOf(request, 'warning'));
  return { chain, period, page: Number(page), wallet, warning };
}

/** A parameter as text; the last one if it's repeated. */
function textOf({ query }: FastifyRequest, name: string): string {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  const text = Array.isArray(value) ? (value.at(-1) as unknown) : value;
  return typeof text === 'string' ? text.trim() : '';
}

function filterOf(code: BoardQuery['chain']): Chain | 'all' {
  return code === 'all' ? 'all' : chainOfCode(code);
}

/** The parameters of a leaderboard page. */
interface BoardQuery {
  readonly chain: 'all' | ChainCode;
  /** Undefined: of all time. */
  readonly period: PeriodCode | undefined;
  readonly page: number;
  /** The address whose row to mark. */
  readonly wallet: string | undefined;
  /** That a secret was typed, or what may be one. */
  readonly warning?: (typeof WARNINGS)[number] | undefined;
}

const WARNINGS = ['secret', 'hash'] as const;

/** A search without a unique result. */
interface BoardNote {
  readonly typed: string;
  /** Empty if nothing matches; a single one has no activity. */
  readonly candidates: readonly FoundWallet[];
}

/** A page of a board: by score, or by what was gained. */
interface Board {
  readonly entries: readonly (LeaderboardEntry & { readonly gained?: number })[];
  readonly total: number;
  /** Why there's none. */
  readonly missing?: 'counting' | 'unknown';
}

async function readBoard(
  reading: Reading,
  query: LeaderboardQuery,
  period: PeriodCode | undefined,
): Promise<Board> {
  if (period === undefined) {
    const { leaderboard: entries, total } = await reading.leaderboard(query);
    return { entries, total };
  }
  if (reading.gainers === undefined) return { entries: [], total: 0, missing: 'unknown' };
  const found = await reading.gainers({ ...query, days: daysOfPeriod(period) });
  if (found === undefined) return { entries: [], total: 0, missing: 'counting' };
  return { entries: found.gainers, total: found.total };
}

interface BoardContent {
  readonly board: Board;
  readonly page: Page;
  readonly query: BoardQuery;
  readonly note: BoardNote | undefined;
  readonly reading: Reading;
  readonly chainOf: (address: string) => Chain | undefined;
}

const NAME_MAX = 40;

/** The path of a page, without default parameters. */
function leaderboardPath({ chain, period, page, wallet }: BoardQuery): string {
  const query = new URLSearchParams({
    ...(chain !== 'all' && { chain }),
    ...(period !== undefined && { period }),
    ...(page > 1 && { page: String(page) }),
    ...(wallet !== undefined && { wallet }),
  }).toString();
  return query === '' ? '/leaderboard' : `/leaderboard?${query}`;
}

function leaderboardPage(content: BoardContent, reader: PageReader): PublicPage {
  const { board, page, query, note, reading } = content;
  const { words, texts } = reader;
  const { leaderboard: own } = words.pages;
  const chain = query.chain === 'all' ? undefined : texts.chains[chainOfCode(query.chain)];
  const days = query.period && texts.number(daysOfPeriod(query.period));
  const all = chain === undefined ? texts.top.title : texts.top.titleOf(chain);
  const title = days === undefined ? all : texts.top.gained(all, days);
  const best = chain === undefined ? own.description : own.descriptionOf(chain);
  const description = days === undefined ? best : texts.top.gainedAbout(days);
  const shownPage =
    page.pages > 1 ? texts.page(texts.number(page.page), texts.number(page.pages)) : '';
  const path = leaderboardPath({ ...query, page: page.page, wallet: undefined });
  return {
    kind: 'leaderboard',
    section: 'leaderboard',
    title: page.page > 1 ? `${title} · ${shownPage}` : title,
    description,
    path: note === undefined ? path : undefined,
    data: dataNote(reading),
    main: html`<h1>${title}</h1>
<p class="lead">${description}</p>
<div class="tools-row">${chainTabs(query, reader)}${reading.gainers === undefined ? NOTHING : periodTabs(query, reader)}${findForm(reader, { chain: query.chain, ...(note !== undefined && { typed: note.typed }) })}</div>
${note === undefined ? foundNote(content, reader) : searchNote(note, query, reader)}
${board.entries.length === 0 ? html`<p>${noneOf(board, query, reader)}</p>` : table(content, reader)}
${pageLinks(page, query, reader)}
<p class="quiet">${own.wallets(board.total, texts.number(board.total))}${shownPage === '' ? '' : ` · ${shownPage}`}</p>`,
  };
}

function noneOf({ missing }: Board, { period }: BoardQuery, { texts }: PageReader): string {
  const { top } = texts;
  if (missing === 'counting') return top.counting;
  if (missing === 'unknown') return top.gainedUnknown;
  return period === undefined ? top.none : top.gainedNone;
}

function periodTabs(query: BoardQuery, reader: PageReader): Html {
  const { words, texts } = reader;
  const tabs = [undefined, ...PERIOD_CODES].map((period) => {
    const label = period === undefined ? texts.top.everything : texts.top.periods[period];
    const path = leaderboardPath({ ...query, period, page: 1, wallet: undefined });
    return html`<a href="${pathFor(reader, path)}"${period === query.period ? CURRENT : NOTHING}>${label}</a>`;
  });
  return html`<nav class="tabs" aria-label="${words.pages.leaderboard.periods}">${tabs}</nav>`;
}

function chainTabs(query: BoardQuery, reader: PageReader): Html {
  const { words, texts } = reader;
  const tabs = (['all', ...CHAIN_CODES] as const).map((code) => {
    const label = code === 'all' ? texts.allChains : texts.chains[chainOfCode(code)];
    const path = pathFor(
      reader,
      leaderboardPath({ ...query, chain: code, page: 1, wallet: undefined }),
    );
    return html`<a href="${path}"${code === query.chain ? CURRENT : NOTHING}>${label}</a>`;
  });
  return html`<nav class="tabs" aria-label="${words.pages.leaderboard.chains}">${tabs}</nav>`;
}

const CURRENT = html` aria-current="true"`;

/** Says where the marked row is, if it's on this page, or that a secret was typed. */
function foundNote({ board, query }: BoardContent, reader: PageReader): Html {
  if (query.warning !== undefined) {
    const { keyOrHashTitle, secretTitle, secretNever } = reader.texts.link;
    const title = query.warning === 'hash' ? keyOrHashTitle : secretTitle;
    return html`<p class="notice" role="alert"><b>${title}.</b> ${secretNever}</p>`;
  }
  const found = board.entries.find(({ address }) => address === query.wallet);
  if (found === undefined) return NOTHING;
  const { words, texts } = reader;
  const { leaderboard: own } = words.pages;
  const points = texts.points(found.score, texts.number(found.score));
  const sentence = own.found(nameOf(found), texts.number(found.rank), points);
  return html`<p class="notice">${sentence} <a href="${pathFor(reader, `/wallet/${found.address}`)}">${own.foundLink}</a></p>`;
}

/** Says what a search has found. */
function searchNote({ typed, candidates }: BoardNote, query: BoardQuery, reader: PageReader): Html {
  const { leaderboard: own } = reader.words.pages;
  const name = safeText(typed, NAME_MAX);
  if (candidates.length === 0)
    return html`<p class="notice" role="status">${own.notFound(name)}</p>`;
  if (candidates.length === 1) return html`<p class="notice" role="status">${own.unseen}</p>`;
  const links = candidates.map(({ address }) => {
    const search = new URLSearchParams({
      find: address,
      ...(query.chain !== 'all' && { chain: query.chain }),
    });
    return html`<li><a href="${pathFor(reader, `/leaderboard?${search}`)}"><code>${address}</code></a></li>`;
  });
  return html`<div class="notice" role="status"><p>${own.several(name)}</p><ul class="choices">${links}</ul></div>`;
}

function table(content: BoardContent, reader: PageReader): Html {
  const { board, page, query } = content;
  const { leaderboard: own } = reader.words.pages;
  // Only the first page has the score that all others are measured by.
  const [first] = board.entries;
  const most = page.page === 1 ? Math.max(1, first?.gained ?? first?.score ?? 0) : undefined;
  const rows = board.entries.map((entry) =>
    row(entry, entry.address === query.wallet, most, content, reader),
  );
  return html`<table class="board"><thead><tr><th scope="col" class="rank">${own.rank}</th><th scope="col">${own.wallet}</th><th scope="col" class="wide">${own.tier}</th><th scope="col" class="wide number">${own.badges}</th><th scope="col" class="number">${query.period === undefined ? own.score : own.gained}</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function row(
  entry: Board['entries'][number],
  isFound: boolean,
  most: number | undefined,
  { chainOf, query }: BoardContent,
  reader: PageReader,
): Html {
  const { texts } = reader;
  const { rank, address, score, gained, tier, badges } = entry;
  const points = gained === undefined ? texts.number(score) : `+${texts.number(gained)}`;
  const name = nameOf(entry);
  const short = shortAddress(address);
  const chain = query.chain === 'all' ? chainOf(address) : undefined;
  const under = [
    ...(name === short ? [] : [short]),
    ...(chain === undefined ? [] : [texts.chains[chain]]),
  ].join(' · ');
  return html`<tr${isFound ? FOUND : NOTHING}><td class="rank${rank <= 3 ? ` medal m${rank}` : ''}"><span>${texts.number(rank)}</span></td><th scope="row"><a href="${pathFor(reader, `/wallet/${address}`)}">${tierPicture(tier)}<bdi>${name}</bdi></a><small>${under}</small></th><td class="wide tier ${tier.toLowerCase()}">${texts.tiers[tier]}</td><td class="wide number">${texts.number(badges)}</td><td class="number points">${points}${most === undefined ? NOTHING : meter((gained ?? score) / most, tier)}</td></tr>`;
}

function meter(fraction: number, tier: Tier): Html {
  return html`<svg class="meter" height="4" aria-hidden="true"><rect class="${tier.toLowerCase()}" width="${percentX(fraction)}" height="4" rx="2"/></svg>`;
}

const FOUND = html` id="found" aria-current="true"`;

function nameOf({ displayName }: LeaderboardEntry): string {
  return safeText(displayName, NAME_MAX);
}

function pageLinks({ page, pages }: Page, query: BoardQuery, reader: PageReader): Html {
  if (pages === 1) return NOTHING;
  const { leaderboard: own } = reader.words.pages;
  const { number } = reader.texts;
  const to = (target: number, label: string, sign: string, rel?: string) => {
    const path = leaderboardPath({ ...query, page: target, wallet: undefined });
    const relation = rel === undefined ? NOTHING : html` rel="${rel}"`;
    const hidden = sign.includes(label) ? NOTHING : html`<span class="unseen">${label}: </span>`;
    return html`<a class="button" href="${pathFor(reader, path)}"${relation}>${hidden}${sign}</a>`;
  };
  return html`<nav class="buttons pages" aria-label="${own.pages}">${page > 2 ? to(1, own.first, `« ${number(1)}`) : NOTHING}${page > 1 ? to(page - 1, own.previous, `‹ ${own.previous}`, 'prev') : NOTHING}${page < pages ? to(page + 1, own.next, `${own.next} ›`, 'next') : NOTHING}${page < pages - 1 ? to(pages, own.last, `${number(pages)} »`) : NOTHING}</nav>`;
}
