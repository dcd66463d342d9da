import Type from 'typebox';
import { UserError } from '#base';
import { cursorParameter, integerParameter } from '#http/api/routes/query';
import type { Route } from '#http/api/routes/route';
import { Address, closed, nullable, Score, TierName, Timestamp } from '#http/api/schemas';
import { CURSOR_FORM, cursorGone } from '#reputation';
import { CHAIN_CODES, CHAINS, type ChainCode, chainOfCode } from '#wallet';

const Cursor = (description: string) => Type.String({ description, pattern: CURSOR_FORM.source });

const WalletChange = Type.Object(
  {
    cursor: Cursor('Continue after this change with `after`.'),
    address: Address,
    chain: Type.Enum([...CHAINS], { type: 'string', description: 'Full name of the chain.' }),
    score: Score,
    tier: TierName,
    previousScore: nullable(
      Type.Integer({
        description: 'The score before; null for a wallet without any activity before.',
        minimum: 0,
      }),
    ),
    previousTier: nullable(
      Type.String({ description: 'The tier before; null as `previousScore`.' }),
    ),
    badgesEarned: Type.Array(Type.String(), { description: 'Ids of the badges earned, sorted.' }),
    at: Timestamp('When it was committed.'),
    noActivity: Type.Optional(
      Type.Literal(true, {
        description:
          'Only for a wallet that new rules left without activity: it leaves the leaderboard, and asking for it is a 404. Otherwise missing.',
      }),
    ),
  },
  { ...closed, title: 'WalletChange' },
);

const RulesChange = Type.Object(
  {
    cursor: Cursor('Continue with the changes caused by the rules.'),
    rules: Type.Object(
      {
        name: Type.String({ description: 'Name of the rules.' }),
        version: Type.Integer({ description: 'Their version.', minimum: 0 }),
        hash: Type.String({ description: 'SHA-256 of the rules file.', pattern: '^[0-9a-f]{64}$' }),
      },
      closed,
    ),
    at: Timestamp('When they went live.'),
  },
  { ...closed, title: 'RulesChange' },
);

const Changes = Type.Object(
  {
    changes: Type.Array(Type.Unsafe({ oneOf: [WalletChange, RulesChange] }), {
      description: 'In the order of commits. New rules come before the changes they cause.',
      maxItems: 1000,
    }),
    next: Cursor('Cursor for the next request, also if there is nothing new.'),
    hasMore: Type.Boolean({ description: 'Whether the next page has changes already.' }),
  },
  { ...closed, title: 'Changes' },
);

interface Query {
  readonly after?: string;
  readonly limit: number;
  readonly chain: ChainCode | 'all';
}

const EXAMPLE = '1042-9f3a2b7c1d0e';

export const changesRoute: Route = {
  id: 'getChanges',
  path: '/changes',
  summary: 'What changed',
  description:
    'Each change of a score, tier or badges, in the order of commits: from a cursor on, no change is missing or repeated. Without `after` it starts with the next change; `after=0` starts at the oldest change that is kept, by default from the last 30 days. A wallet that new rules leave without activity is listed with a score of 0 and `noActivity`. With `Accept: text/event-stream`, changes arrive as server-sent events (`change` and `rules`) as they happen; `Last-Event-ID` takes precedence over `after`. A stream costs one request.',
  ofWallet: false,
  query: Type.Object({
    after: Type.Optional(cursorParameter('Continue after this cursor; 0 for the oldest change.')),
    limit: Type.Optional(
      integerParameter({
        description: 'Maximum number of changes. Values above 1000 are treated as 1000.',
        minimum: 1,
        default: 100,
        applied: 1000,
      }),
    ),
    chain: Type.Optional(
      Type.Enum([...CHAIN_CODES, 'all'], {
        type: 'string',
        description: "Only this chain's wallets; new rules are always included.",
        default: 'all',
      }),
    ),
  }),
  change: WalletChange,
  response: Changes,
  problems: ['cursor-gone', 'route-not-found'],
  exampleRequest: '/changes?after=0&limit=2',
  example: {
    changes: [
      {
        cursor: `${EXAMPLE}-1`,
        rules: {
          name: 'reef-dao',
          version: 3,
          hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
        at: '2025-12-15T14:30:00Z',
      },
      {
        cursor: `${EXAMPLE}-2`,
        address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
        chain: 'ethereum',
        score: 9420,
        tier: 'Titan',
        previousScore: 8900,
        previousTier: 'Whale',
        badgesEarned: ['early-adopter'],
        at: '2025-12-15T14:30:00Z',
      },
    ],
    next: `${EXAMPLE}-2`,
    hasMore: true,
  },
  async answer({ feed, query }) {
    if (feed === undefined) throw noFeed();
    const { after, limit, chain } = query as Query;
    const page = await feed.read({
      after,
      limit,
      chain: chain === 'all' ? 'all' : chainOfCode(chain),
    });
    if (page === 'gone') throw cursorGone();
    return page;
  },
};

/** For an instance that reads from another one. */
export function noFeed(): UserError {
  return new UserError(
    'route-not-found',
    'This instance reads from another one (UPSTREAM_URL), so it has no changes of its own. Request them there.',
  );
}
