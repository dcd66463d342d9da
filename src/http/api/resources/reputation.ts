import Type from 'typebox';
import { listRoute } from '#http/api/routes/list-route';
import { walletRoute } from '#http/api/routes/route';
import { Reputation } from '#http/api/schemas';
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
