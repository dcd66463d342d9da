import Type from 'typebox';
import { activityCursorParameter, integerParameter } from '#http/api/routes/query';
import { walletRoute } from '#http/api/routes/route';
import { ActivityList, ActivityPage } from '#http/api/schemas';

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
