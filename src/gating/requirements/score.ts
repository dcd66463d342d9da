import type { OptionSpec } from '#command';
import { lowestScoreOf } from '#reputation';
import type { RequirementKind } from './kind.ts';

interface ScoreRequirement {
  readonly kind: 'score';
  readonly least: number;
}

interface ScoreShortfall {
  readonly kind: 'score';
  readonly points: number;
}

const option = {
  kind: 'integer',
  name: 'score',
  required: false,
  about: (texts) => texts.commands.gate.options.score,
  least: 1,
  most: 1e8,
  unit: 'points',
  isAtLeast: true,
  none: (texts) => texts.gate.noNeed,
} as const satisfies OptionSpec;

/** A score, or a higher one. */
export const scoreRequirement: RequirementKind<ScoreRequirement, ScoreShortfall, typeof option> = {
  option,
  read: (least) => ({ kind: 'score', least }),
  isMet: ({ least }, { record }) => record.score >= least,
  isExcluded({ least }, bound, thresholds) {
    if (bound.kind === 'most') return least > bound.score;
    return thresholds !== undefined && least >= lowestScoreOf(bound.tier, thresholds);
  },
  shortfallOf: ({ least }, { record }) => ({ kind: 'score', points: least - (record?.score ?? 0) }),
  needText: ({ least }, { gate, number }) => gate.score(least, number(least)),
  shortfallText: ({ points }, { access, number }) => access.points(points, number(points)),
};
