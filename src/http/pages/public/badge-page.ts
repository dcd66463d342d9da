import { parseTime } from '#base';
import { shareOf } from '#command';
import { lastingBadgePath } from '#pictures';
import { BADGE_SIZE } from '#pictures/shown';
import type { BadgeHolder, BadgeHolders, HolderPlace, Reading } from '#reputation';
import { shortAddress } from '#wallet';
import { dateTag } from './dates.ts';
import { dataNote, type PublicPage } from './layout.ts';
import { markup, NOTHING, safeText } from './markup.ts';
import { badgePicture, tierPicture } from './pictures.ts';
import { type PageReader, pathFor } from './reader.ts';
import { section } from './wallet/section.ts';

export interface BadgeContent {
  readonly found: BadgeHolders;
  /** Undefined for the newest holders. */
  readonly after: HolderPlace | undefined;
  readonly totalUsers: number;
  readonly reading: Reading;
}

/** A badge, how rare it is, and who has it. */
export function badgePage(
  content: BadgeContent,
  reader: PageReader,
  isPictured: boolean,
): PublicPage {
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
    main: markup`<section class="hero badge-hero ${badge.tier.toLowerCase()}"><div class="who"><p class="eyebrow">${own.kind(texts.rarities[badge.tier])}</p>
<h1><bdi>${name}</bdi></h1>
<p><bdi>${text}</bdi></p>
${badge.soulbound ? markup`<p class="eyebrow">${texts.badges.soulbound}</p>` : NOTHING}</div>
${badgePicture(badge, isPictured)}
<dl class="figures"><div class="main"><dt>${texts.stats.wallets}</dt><dd>${texts.number(total)}</dd></div><div><dt>${words.pages.stats.share}</dt><dd>${own.shareOf(shareOf(total, totalUsers, texts))}</dd></div></dl></section>
${section('holders', own.newest, total === 0 ? markup`<p>${own.none}</p>` : list(content, reader))}`,
  };
}

function badgePath(id: string, after: HolderPlace | undefined): string {
  const path = `/badges/${encodeURIComponent(id)}`;
  return after === undefined ? path : `${path}?after=${afterText(after)}`;
}

/** A place in the list as a parameter: `1700000000.0x…` */
export function afterText({ earnedAt, address }: HolderPlace): string {
  return `${parseTime(earnedAt) ?? 0}.${address}`;
}

function list({ found, after }: BadgeContent, reader: PageReader) {
  const { words } = reader;
  const { badge: own, leaderboard } = words.pages;
  const { badge, holders, next } = found;
  const link = (place: HolderPlace | undefined, label: string) =>
    markup`<a class="button" href="${pathFor(reader, badgePath(badge.id, place))}">${label}</a>`;
  return markup`<table class="board"><thead><tr><th scope="col">${leaderboard.wallet}</th><th scope="col" class="wide">${leaderboard.tier}</th><th scope="col" class="number">${own.earned}</th></tr></thead><tbody>${holders.map((each) => row(each, reader))}</tbody></table>
<nav class="buttons pages" aria-label="${own.newest}">${after === undefined ? NOTHING : link(undefined, `‹ ${own.newestFirst}`)}${next === undefined ? NOTHING : link(next, `${own.older} ›`)}</nav>`;
}

function row({ address, displayName, tier, earnedAt }: BadgeHolder, reader: PageReader) {
  const { texts, words } = reader;
  const name = safeText(displayName, 40);
  const short = shortAddress(address);
  return markup`<tr><th scope="row"><a href="${pathFor(reader, `/wallet/${address}`)}">${tierPicture(tier)}<bdi>${name}</bdi></a>${name === short ? NOTHING : markup`<small>${short}</small>`}</th><td class="wide tier">${texts.tiers[tier]}</td><td class="number">${dateTag(earnedAt, words.language)}</td></tr>`;
}
