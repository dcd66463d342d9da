import { Breakdown } from '#http/api/explanation-schemas';
import { walletRoute } from '#http/api/route';

export const breakdownRoute = walletRoute({
  id: 'getBreakdown',
  path: '/breakdown/:address',
  summary: 'Where a score comes from',
  description:
    'Points by rule, what was held back, and imported points separately. They add up to the score before its floor of 0.',
  query: undefined,
  response: Breakdown,
  // A daily step may change nothing but the day.
  isUndated: true,
  problems: ['route-not-found'],
  exampleRequest: '/breakdown/0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  example: {
    address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    score: 9420,
    rules: [
      {
        id: 'workshop',
        version: 3,
        title:
          '25 points for each imported event workshop_attended; at most 250 points in 365 days',
        points: 250,
        count: 12,
        capped: 50,
        decayed: 0,
        discounted: 0,
        newest: '2025-12-15T14:30:00Z',
      },
    ],
    imported: { points: 9170, count: 306 },
    asOf: '2025-12-16T00:00:00Z',
  },
  answer: ({ source, wallet }) => source.breakdown(wallet),
});
