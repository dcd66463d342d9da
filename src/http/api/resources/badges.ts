import { badgeListSerializer } from '#http/api/badge-text';
import { walletRoute } from '#http/api/route';
import { BadgeList } from '#http/api/schemas';

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
