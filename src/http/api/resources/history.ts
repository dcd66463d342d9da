import Type from 'typebox';
import { parseDay, UserError } from '#base';
import { ScoreHistory } from '#http/api/explanation-schemas';
import { dateParameter } from '#http/api/query';
import { walletRoute } from '#http/api/route';

export const historyRoute = walletRoute({
  id: 'getHistory',
  path: '/history/:address',
  summary: 'History of a score',
  description:
    'The score at the end of each UTC day on which it changed, oldest first; at most the newest 1,000 days of the range.',
  query: Type.Object({
    from: Type.Optional(dateParameter('First day of the range (UTC), inclusive.')),
    to: Type.Optional(dateParameter('Last day of the range (UTC), inclusive.')),
  }),
  response: ScoreHistory,
  problems: ['route-not-found'],
  exampleRequest: '/history/0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045?from=2024-01-01',
  example: {
    address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    days: [
      { day: '2024-01-15', score: 100 },
      { day: '2024-03-02', score: 125 },
    ],
  },
  answer: ({ source, wallet, query }) => {
    const from = query.from === undefined ? undefined : parseDay(query.from);
    const to = query.to === undefined ? undefined : parseDay(query.to);
    if (from !== undefined && to !== undefined && from > to) {
      const message = 'Must not be after "to".';
      throw new UserError('invalid-parameter', 'The range is empty: "from" is after "to".', [
        { parameter: 'from', message },
      ]);
    }
    return source.history(wallet, { from, to });
  },
});
