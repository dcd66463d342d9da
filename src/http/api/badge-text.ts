import type { TSchema } from 'typebox';
import { badgePicturePath } from '#pictures/shown';
import type { BadgeDefinition, BadgeList, EarnedBadge } from '#reputation';
import type { Serialize } from './route.ts';
import { EarnedBadge as EarnedBadgeSchema } from './schemas.ts';

/** How many badges to remember; communities have far fewer. */
const REMEMBERED = 2_000;

/** A badge, and its text before and after the time at which a wallet earned it. */
interface BadgeText {
  readonly badge: BadgeDefinition;
  readonly before: string;
  readonly after: string;
}

/**
 * Writes lists of badges. Thousands of wallets have the same badge, and only the time differs, so the rest of
 * its text is written once.
 */
export function badgeListSerializer(
  compile: (schema: TSchema) => Serialize,
  origin: () => string,
): Serialize {
  const one = compile(EarnedBadgeSchema);
  const texts = new Map<string, BadgeText>();

  function textOf(badge: EarnedBadge): BadgeText {
    const known = texts.get(badge.id);
    if (known !== undefined && isSame(known.badge, badge)) return known;
    const text = splitText(badge, one(pictured(badge, origin)));
    if (texts.size >= REMEMBERED) texts.clear();
    texts.set(badge.id, text);
    return text;
  }

  return (value) => {
    const { address, badges, total } = value as BadgeList;
    let text = '';
    for (const badge of badges) {
      const { before, after } = textOf(badge);
      text += `${text === '' ? '' : ','}${before}${badge.earnedAt}${after}`;
    }
    return `{"address":"${address}","badges":[${text}],"total":${total}}`;
  };
}

/** Every badge has the URL of a picture: of one that we draw, ours. */
function pictured(badge: EarnedBadge, origin: () => string): EarnedBadge {
  return badge.imageUrl === '' ? { ...badge, imageUrl: origin() + badgePicturePath(badge) } : badge;
}

const FIELD = '"earnedAt":"';

/** The name of the field stands nowhere else: in a value its quotes would be escaped. */
function splitText(badge: EarnedBadge, text: string): BadgeText {
  const start = text.indexOf(FIELD) + FIELD.length;
  const before = text.slice(0, start);
  return { badge, before, after: text.slice(start + badge.earnedAt.length) };
}

/** Nearly always the very same strings, which are equal at once. */
function isSame(one: BadgeDefinition, other: BadgeDefinition): boolean {
  return (
    one.name === other.name &&
    one.description === other.description &&
    one.tier === other.tier &&
    one.imageUrl === other.imageUrl &&
    one.soulbound === other.soulbound
  );
}
