import { sanitizeText, truncate } from '#base';
import { rankText } from '#command';
import { textsFor } from '#command/texts';
import { shortAddress } from '#wallet';
import type { RankCard } from './rank-card.ts';

/** Discord accepts 1024 characters, but no one wants to hear more than this. */
const ALT_MAX = 500;
const NAME_MAX = 60;

/** Everything on a rank card in words, for screen readers and search engines. */
export function altTextOf(card: RankCard, language: string): string {
  const texts = textsFor(language);
  const { number, picture, tiers, rep } = texts;
  const short = shortAddress(card.address);
  const name = sanitizeText(card.name ?? '', NAME_MAX);
  const rank = rankText(card.rank, card.totalUsers, texts);
  const sentences = [
    picture.alt(
      name === '' ? short : `${name} (${short})`,
      tiers[card.tier],
      number(card.score),
      rank,
    ),
  ];
  const { progress } = card;
  if (progress?.isHighest === true) sentences.push(rep.highest);
  if (progress?.isHighest === false) {
    const { missing, next } = progress;
    sentences.push(rep.toNext(missing, number(missing), tiers[next]));
  }
  const badges = card.badges.map((badge) => sanitizeText(badge.name, NAME_MAX));
  const more = card.badgeTotal - badges.length;
  if (more > 0) badges.push(rep.more(number(more)));
  if (badges.length > 0) sentences.push(picture.badges(badges.join(', ')));
  if (card.isStale) sentences.push(picture.stale);
  if (card.isPartial) sentences.push(picture.partial);
  if (card.isDemo) sentences.push(picture.demo);
  return truncate(`${sentences.join('. ')}.`, ALT_MAX);
}
