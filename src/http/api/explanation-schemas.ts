import Type from 'typebox';
import { HISTORY_MAX } from '#reputation';
import { Address, CountOf, closed, nullable, Score, Timestamp } from './schemas.ts';

/** The response bodies that say where scores come from; see `schemas.ts`. */

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
    count: CountOf('Number of events, not counting adjustments.'),
    capped: CountOf('Points held back by a cap.'),
    decayed: CountOf('Points lost to a half-life.'),
    discounted: CountOf('Points held back by discounts.'),
    newest: Timestamp('When the newest event was.'),
  },
  { ...closed, title: 'RuleShare' },
);

export const Breakdown = Type.Object(
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

export const ScoreHistory = Type.Object(
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

export const Provenance = Type.Object(
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
