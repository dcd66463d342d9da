import { listRoute } from '#http/api/list-route';
import { Reputation } from '#http/api/schemas';
import { reputationRoute } from './reputation.ts';

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
