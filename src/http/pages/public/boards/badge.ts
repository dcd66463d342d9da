import { formatTime, html, NOTHING, parseTime, safeText, UserError } from '#base';
import { shareOf } from '#command';
import { dateTag } from '#http/pages/public/dates';
import { dataNote, type PublicPage, section } from '#http/pages/public/layout';
import { badgePicture, tierPicture } from '#http/pages/public/pictures';
import { type PageReader, pathFor } from '#http/pages/public/reader';
import type { PageOutcome, PublicRoute } from '#http/pages/public/route';
import { lastingBadgePath } from '#pictures';
import { BADGE_SIZE } from '#pictures/shown';
import type {
  BadgeHolder,
  BadgeHolders,
  HolderPlace,
  Reading,
  ReputationSource,
} from '#reputation';
import { shortAddress } from '#wallet';

/** Rows per page. */
const PAGE_SIZE = 50;
/** No badge has a longer id. */
const ID_MAX = 200;

/** `/badges/{id}?after=`: a badge, and who has it. */
export function badgePageRoute(options: {
  readonly source: ReputationSource;
  readonly hasBadgePictures: boolean;
}): PublicRoute {
  const { source, hasBadgePictures } = options;
  return {
    url: '/badges/:id',
    answer(request, reader) {
      const { id = '' } = request.params as { id?: string };
      const { after } = request.query as { after?: unknown };
      const place = after === undefined ? undefined : readPlace(after);
      if (place === 'malformed') {
        return { key: '/badges?', make: () => ({ lost: 'page', status: 400 }) };
      }
      const badge = id.slice(0, ID_MAX);
      const from = place === undefined ? '' : afterText(place);
      return {
        key: `/badges/${badge} ${from}`,
        make: () => outcome(badge, place, reader),
      };
    },
  };

  async function outcome(
    id: string,
    after: HolderPlace | undefined,
    reader: PageReader,
  ): Promise<PageOutcome> {
    const reading = source.reading('visitor');
    let found: BadgeHolders | undefined;
    try {
      found = await reading.badgeHolders({ badge: id, limit: PAGE_SIZE, after });
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'route-not-found') throw error;
      return { lost: 'holders', status: 404, shown: id };
    }
    if (found === undefined) return { lost: 'badge', status: 404, shown: id };
    const { totalUsers } = await reading.stats();
    return { page: badgePage({ found, after, totalUsers, reading }, reader, hasBadgePictures) };
  }
}

/** As `afterText` wrote it. */
function readPlace(text: unknown): HolderPlace | 'malformed' {
  const [, seconds, address] = /^(\d{1,12})\.(\w{1,64})$/.exec(String(text)) ?? [];
  if (seconds === undefined || address === undefined) return 'malformed';
  return { earnedAt: formatTime(Number(seconds)), address };
}

interface BadgeContent {
  readonly found: BadgeHolders;
  /** Undefined for the newest holders. */
  readonly after: HolderPlace | undefined;
  readonly totalUsers: number;
  readonly reading: Reading;
}

/** A badge, how rare it is, and who has it. */
function badgePage(content: BadgeContent, reader: PageReader, isPictured: boolean): PublicPage {
  const { found, after, totalUsers, reading } = content;
  const { badge, total } = found;
  const { words, texts } = reader;
  const { badge: own } = words.pages;
  const name = safeText(badge.name, 60);
  const text = safeText(badge.description, 300);
  const holders = own.holders(total, texts.number(total));
  const path = badgePath(badge.id, after);
  return {
    kind: 'badge',
    title: own.title(name),
    description: text === '' ? own.description(name, holders) : `${text} · ${holders}`,
    path,
    ...(isPictured && {
      image: {
        // Who fetches it keeps it, so it's the path that waits for the operator's picture.
        path: lastingBadgePath(badge),
        ...BADGE_SIZE,
        alt: own.alt(name, texts.rarities[badge.tier]),
      },
    }),
    data: dataNote(reading),
    main: html`<section class="hero badge-hero ${badge.tier.toLowerCase()}"><div class="who"><p class="eyebrow">${own.kind(texts.rarities[badge.tier])}</p>
<h1><bdi>${name}</bdi></h1>
<p><bdi>${text}</bdi></p>
${badge.soulbound ? html`<p class="eyebrow">${texts.badges.soulbound}</p>` : NOTHING}</div>
${badgePicture(badge, isPictured)}
<dl class="figures"><div class="main"><dt>${texts.stats.wallets}</dt><dd>${texts.number(total)}</dd></div><div><dt>${words.pages.stats.share}</dt><dd>${own.shareOf(shareOf(total, totalUsers, texts))}</dd></div></dl></section>
${section('holders', own.newest, total === 0 ? html`<p>${own.none}</p>` : list(content, reader))}`,
  };
}

function badgePath(id: string, after: HolderPlace | undefined): string {
  const path = `/badges/${encodeURIComponent(id)}`;
  return after === undefined ? path : `${path}?after=${afterText(after)}`;
}

/** A place in the list as a parameter: `1700000000.0x…` */
function afterText({ earnedAt, address }: HolderPlace): string {
  return `${parseTime(earnedAt) ?? 0}.${address}`;
}

function list({ found, after }: BadgeContent, reader: PageReader) {
  const { words } = reader;
  const { badge: own, leaderboard } = words.pages;
  const { badge, holders, next } = found;
  const link = (place: HolderPlace | undefined, label: string) =>
    html`<a class="button" href="${pathFor(reader, badgePath(badge.id, place))}">${label}</a>`;
  return html`<table class="board"><thead><tr><th scope="col">${leaderboard.wallet}</th><th scope="col" class="wide">${leaderboard.tier}</th><th scope="col" class="number">${own.earned}</th></tr></thead><tbody>${holders.map((each) => row(each, reader))}</tbody></table>
<nav class="buttons pages" aria-label="${own.newest}">${after === undefined ? NOTHING : link(undefined, `‹ ${own.newestFirst}`)}${next === undefined ? NOTHING : link(next, `${own.older} ›`)}</nav>`;
}

function row({ address, displayName, tier, earnedAt }: BadgeHolder, reader: PageReader) {
  const { texts, words } = reader;
  const name = safeText(displayName, 40);
  const short = shortAddress(address);
  return html`<tr><th scope="row"><a href="${pathFor(reader, `/wallet/${address}`)}">${tierPicture(tier)}<bdi>${name}</bdi></a>${name === short ? NOTHING : html`<small>${short}</small>`}</th><td class="wide tier">${texts.tiers[tier]}</td><td class="number">${dateTag(earnedAt, words.language)}</td></tr>`;
}
