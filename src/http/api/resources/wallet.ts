import type { TSchema } from 'typebox';
import { listRoute } from '#http/api/routes/list-route';
import { type Serialize, walletRoute } from '#http/api/routes/route';
import { BadgeList, EarnedBadge as EarnedBadgeSchema } from '#http/api/schemas';
import { badgePicturePath } from '#pictures/shown';
import type { BadgeDefinition, BadgeList as BadgesOfWallet, EarnedBadge } from '#reputation';

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
    const { address, badges, total } = value as BadgesOfWallet;
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

export const badgesRoute = walletRoute({
  id: 'getBadges',
  path: '/badges/:address',
  summary: 'Badges of a wallet',
  description:
    'All badges a wallet has earned. A wallet with activity but no badges has an empty list.',
  query: undefined,
  response: BadgeList,
  serializer: badgeListSerializer,
  exampleRequest: '/badges/0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  example: {
    address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    badges: [
      {
        id: 'early-adopter',
        name: 'Early Adopter',
        description: 'Joined in the first month.',
        tier: 'Legendary',
        earnedAt: '2024-01-15T00:00:00Z',
        imageUrl: 'https://example.org/badges/early-adopter.png',
        soulbound: true,
      },
    ],
    total: 1,
  },
  answer: ({ source, wallet }) => source.badges(wallet),
});

export const badgeListsRoute = listRoute({
  id: 'listBadges',
  path: '/badges',
  summary: 'Badges of several wallets',
  description:
    'The badges of up to 100 wallets at once. It counts like the list of reputations: one request per 10 addresses.',
  record: BadgeList,
  serializer: badgeListSerializer,
  title: 'BadgeLists',
  exampleRequest: '/badges?addresses=0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045,not-an-address',
  example: {
    results: [
      badgesRoute.example as object,
      {
        address: 'not-an-address',
        code: 'invalid-address',
        detail:
          "This isn't a wallet address. Use an Ethereum address (0x and 40 hex digits), a Solana address (32 to 44 base58 characters, case-sensitive) or an Algorand address (58 characters A-Z and 2-7).",
      },
    ],
  },
  answer: (source, wallets) => source.badgeLists(wallets),
});
