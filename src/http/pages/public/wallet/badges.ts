import { dateTag } from '#http/pages/public/dates';
import { type Markup, markup, NOTHING, safeText } from '#http/pages/public/markup';
import { badgePicture } from '#http/pages/public/pictures';
import { type PageReader, pathFor } from '#http/pages/public/reader';
import type { WalletData } from '#http/pages/public/wallet-data';
import { byRarity, type EarnedBadge } from '#reputation';
import { partSection, section } from './section.ts';

/** Only the number of further badges is shown. */
const BADGES_SHOWN = 60;

/** All badges, rarest first, with links to their holders. */
export function badgesSection(
  { badges }: WalletData,
  reader: PageReader,
  isPictured: boolean,
): Markup {
  const { texts, words } = reader;
  const body = partSection(badges, reader, ({ badges: all, total }) => {
    if (total === 0) return markup`<p class="quiet">${texts.rep.noBadges}</p>`;
    const shown = byRarity(all).slice(0, BADGES_SHOWN);
    const more = total - shown.length;
    return markup`<ul class="badges">${shown.map((each) => badge(each, reader, isPictured))}</ul>${
      more > 0 ? markup`<p class="quiet">${texts.rep.more(texts.number(more))}</p>` : NOTHING
    }`;
  });
  const count =
    typeof badges === 'string'
      ? NOTHING
      : markup` <span class="count">${texts.number(badges.value.total)}</span>`;
  return section('badges', words.pages.wallet.badges.title, body, count);
}

function badge(of: EarnedBadge, reader: PageReader, isPictured: boolean): Markup {
  const { texts, words } = reader;
  const { id, name, tier, earnedAt } = of;
  const path = pathFor(reader, `/badges/${encodeURIComponent(id)}`);
  return markup`<li>${badgePicture(of, isPictured)}<span class="what"><a href="${path}"><bdi>${safeText(name, 60)}</bdi></a><small>${texts.rarities[tier]} · ${dateTag(earnedAt, words.language)}</small></span></li>`;
}
