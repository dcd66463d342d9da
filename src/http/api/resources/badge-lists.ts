import { badgeListSerializer } from '#http/api/badge-text';
import { listRoute } from '#http/api/list-route';
import { BadgeList } from '#http/api/schemas';
import { badgesRoute } from './badges.ts';

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
