/** Where scores come from: the resources, and their bodies' schemas. */

import Type from 'typebox';
import { parseDay, UserError } from '#base';
import { dateParameter } from '#http/api/routes/query';
import { platformRoute, walletRoute } from '#http/api/routes/route';
import { Address, CountOf, closed, nullable, Score, Timestamp } from '#http/api/schemas';
import { HISTORY_MAX } from '#reputation';

const Sha256 = (description: string) => Type.String({ description, pattern: '^[0-9a-f]{64}$' });

const Points = (description: string) => Type.Integer({ description });

const AsOf = nullable(
  Timestamp('The last daily step included in the scores, always 00:00. Null without rules.'),
);

const RuleShare = Type.Object(
  {
    id: Type.String({
      description: 'Id of the rule.',
      pattern: '^[a-z][a-z0-9-]{0,63}$',
    }),
    version: Type.Integer({ description: 'Version of the rules file.', minimum: 0 }),
    title: Type.String({ description: 'The rule in words, in English.' }),
    points: Points('Sum of the points the rule gave.'),
    count: CountOf(
      'Number of events; for a rule about holding, of days that gave points. Adjustments aren’t counted.',
    ),
    capped: CountOf('Points held back by a cap.'),
    decayed: CountOf('Points lost to a half-life.'),
    discounted: CountOf('Points held back by discounts.'),
    newest: Timestamp('When the newest of these events was, or its newest day ended.'),
  },
  { ...closed, title: 'RuleShare' },
);

const Breakdown = Type.Object(
  {
    address: Address,
    score: Score,
    rules: Type.Array(RuleShare, {
      description: 'The rules that gave anything, in the order of the rules file.',
    }),
    imported: Type.Object(
      {
        points: Points('Sum of the points of imported activities.'),
        count: CountOf('Number of imported activities.'),
      },
      { ...closed, description: 'Activities that were imported with their own points.' },
    ),
    asOf: AsOf,
  },
  { ...closed, title: 'Breakdown' },
);

const ScoreDay = Type.Object(
  {
    day: Type.String({
      description: 'UTC day.',
      format: 'date',
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
    }),
    score: CountOf('Score at the end of the day.'),
  },
  { ...closed, title: 'ScoreDay' },
);

const ScoreHistory = Type.Object(
  {
    address: Address,
    days: Type.Array(ScoreDay, {
      description:
        'The days on which the score changed, oldest first: at most the newest 1,000 in the range.',
      maxItems: HISTORY_MAX,
    }),
  },
  { ...closed, title: 'ScoreHistory' },
);

const RulesVersion = Type.Object(
  {
    name: Type.String({ description: 'Name of the rules.' }),
    version: Type.Integer({ description: 'Version of the rules file.', minimum: 0 }),
    hash: Sha256('SHA-256 of the canonical form of the rules.'),
    appliedAt: Timestamp('When these rules went live.'),
  },
  { ...closed, description: 'The rules that are live. Null without rules.' },
);

const ProvenanceSource = Type.Object(
  {
    id: Type.String({
      description: 'Id of the source; `import` for all imported events.',
      pattern: '^[a-z][a-z0-9]{0,15}$',
    }),
    chain: nullable(
      Type.String({
        description: 'Chain of the source, as in the rules file. Null for imports.',
        pattern: '^[a-z0-9]+(:[A-Za-z0-9]+)?$',
      }),
    ),
    height: CountOf(
      'The block, slot or round up to which the scores include the source. For imports, the number of events.',
    ),
    hash: nullable(
      Type.String({
        description: 'Hash of that block. Null if there is none.',
        pattern: '^[0-9A-Za-z+/=_-]+$',
      }),
    ),
    at: nullable(
      Timestamp("That block's time; for imports, that of the newest event. Null before the first."),
    ),
    nodes: Type.Optional(
      Type.Integer({
        description:
          '1 if only a single node was read, so nothing could be compared; otherwise absent.',
        minimum: 1,
        maximum: 1,
      }),
    ),
  },
  { ...closed, title: 'ProvenanceSource' },
);

const Provenance = Type.Object(
  {
    rules: nullable(RulesVersion),
    sources: Type.Array(ProvenanceSource, {
      description: 'The sources of the live rules. Empty without rules.',
    }),
    asOf: AsOf,
    digest: Sha256(
      'SHA-256 over a line `address score` for each wallet with activity, in byte order of the addresses.',
    ),
  },
  { ...closed, title: 'Provenance' },
);

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

export const provenanceRoute = platformRoute({
  id: 'getProvenance',
  path: '/provenance',
  summary: 'What all scores are based on',
  description:
    'The live rules, how far the scores include each source, and a digest of all scores that anyone can verify.',
  query: undefined,
  response: Provenance,
  // Chains move on without events.
  isUndated: true,
  problems: ['route-not-found'],
  exampleRequest: '/provenance',
  example: {
    rules: {
      name: 'reef-dao',
      version: 3,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      appliedAt: '2025-12-01T09:00:00Z',
    },
    sources: [{ id: 'import', chain: null, height: 48210, hash: null, at: '2025-12-15T14:30:00Z' }],
    asOf: '2025-12-16T00:00:00Z',
    digest: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  },
  answer: ({ source }) => source.provenance(),
});
