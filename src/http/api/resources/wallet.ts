import Type, { type TSchema } from 'typebox';
import { listRoute } from '#http/api/routes/list-route';
import { activityCursorParameter, integerParameter } from '#http/api/routes/query';
import { type Serialize, walletRoute } from '#http/api/routes/route';
import {
  ActivityList,
  ActivityPage,
  BadgeList,
  EarnedBadge as EarnedBadgeSchema,
  Reputation,
} from '#http/api/schemas';
import { badgePicturePath } from '#pictures/shown';
import type { BadgeDefinition, BadgeList as BadgesOfWallet, EarnedBadge } from '#reputation';
import { CHAIN_CODES } from '#wallet';

export const reputationRoute = walletRoute({
  id: 'getReputation',
  path: '/reputation/:address',
  summary: 'Reputation of a wallet',
  description: "A wallet's score, tier, rank and badges.",
  query: Type.Object({
    chain: Type.Optional(
      Type.Enum([...CHAIN_CODES], {
        type: 'string',
        description:
          "The wallet's chain. Detected from the address if omitted; a chain that contradicts the address is an error.",
      }),
    ),
  }),
  response: Reputation,
  problems: ['chain-mismatch'],
  exampleRequest: '/reputation/0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  example: {
    address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    chain: 'ethereum',
    score: 9420,
    tier: 'Titan',
    rank: 12,
    totalUsers: 48210,
    badges: ['Early Adopter', 'Governance Voter'],
    lastUpdated: '2025-12-15T14:30:00Z',
  },
  // The handler has already checked the chain against the address.
  answer: ({ source, wallet }) => source.reputation(wallet),
});

export const reputationsRoute = listRoute({
  id: 'listReputations',
  path: '/reputation',
  summary: 'Reputation of several wallets',
  description:
    'Up to 100 records at once, all from the same state of the data. It counts as one request for each 10 addresses, rounded up; if fewer are left, it is rejected as a whole and uses none.',
  record: Reputation,
  title: 'ReputationList',
  exampleRequest:
    '/reputation?addresses=0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045,0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  example: {
    results: [
      reputationRoute.example as object,
      {
        address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
        code: 'wallet-not-found',
        detail: 'This address is valid, but the wallet has no activity here.',
      },
    ],
  },
  answer: (source, wallets) => source.reputations(wallets),
});

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

const EXAMPLE_ACTIVITIES = [
  {
    id: 'act_5k2m9x7q4r1t8w3z',
    type: 'governance_vote',
    description: 'Voted on proposal 42',
    points: 25,
    timestamp: '2025-12-15T14:30:00Z',
  },
  {
    id: 'act_0a1b2c3d4e5f6g7h',
    type: 'badge_earned',
    description: 'Earned the Early Adopter badge',
    points: 100,
    timestamp: '2024-01-15T00:00:00Z',
  },
];

export const activityRoute = walletRoute({
  id: 'getActivity',
  path: '/activity/:address',
  summary: 'Recent activity of a wallet',
  description: "A wallet's latest activities with the points they earned.",
  query: Type.Object({
    limit: Type.Optional(
      integerParameter({
        description: 'Maximum number of activities to list. Values above 200 are treated as 200.',
        minimum: 1,
        default: 50,
        applied: 200,
      }),
    ),
  }),
  response: ActivityList,
  exampleRequest: '/activity/0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045?limit=2',
  example: {
    address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    activities: EXAMPLE_ACTIVITIES,
    total: 318,
  },
  answer: ({ source, wallet, query }) => source.activity(wallet, query.limit ?? 50),
});

export const activitiesRoute = walletRoute({
  id: 'getActivities',
  path: '/activities/:address',
  summary: 'All activities of a wallet',
  description:
    'All activities, page by page, newest first and equal times by id. `after` names the last activity you have seen, so activities that arrive meanwhile neither repeat nor hide any.',
  query: Type.Object({
    after: Type.Optional(
      activityCursorParameter(
        'Continue after the activity with this id: `next` of the page before. Without it, the newest.',
      ),
    ),
    limit: Type.Optional(
      integerParameter({
        description: 'Maximum number of activities to list. Values above 1000 are treated as 1000.',
        minimum: 1,
        default: 100,
        applied: 1000,
      }),
    ),
  }),
  response: ActivityPage,
  problems: ['cursor-gone', 'route-not-found'],
  exampleRequest: '/activities/0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045?limit=2',
  example: {
    address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    activities: EXAMPLE_ACTIVITIES,
    next: 'act_0a1b2c3d4e5f6g7h',
    hasMore: true,
  },
  answer: ({ source, wallet, query }) =>
    source.activities(wallet, { after: query.after, limit: query.limit ?? 100 }),
});
