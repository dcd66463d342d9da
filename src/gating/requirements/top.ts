import type { OptionSpec } from '#command';
import type { Chain } from '#wallet';
import type { RequirementKind } from './kind.ts';

interface TopRequirement {
  readonly kind: 'top';
  readonly most: number;
}

type TopShortfall =
  /** The rank is undefined for a wallet that has none. */
  | { readonly kind: 'top'; readonly most: number; readonly rank: number | undefined }
  /** Points to the last of the top N, of a chain if there is one. */
  | {
      readonly kind: 'top';
      readonly most: number;
      readonly chain: Chain | undefined;
      readonly points: number;
    };

const option = {
  kind: 'integer',
  name: 'top',
  required: false,
  about: (texts) => texts.commands.gate.options.top,
  least: 1,
  most: 1e6,
  unit: 'places',
  isAtMost: true,
  none: (texts) => texts.gate.noNeed,
} as const satisfies OptionSpec;

/** A place within the top N, of the rule's chain if it names one. */
export const topRequirement: RequirementKind<TopRequirement, TopShortfall, typeof option> = {
  option,
  read: (most) => ({ kind: 'top', most }),
  cutoffPlace: ({ most }) => most,
  // Equal scores share a rank, so the last one's score suffices. Where there are fewer wallets, all of
  // them are in.
  isMet: ({ most }, { record, isSum }, { chain, cutoff }) =>
    chain === undefined && isSum !== true
      ? record.rank !== undefined && record.rank <= most
      : cutoff === undefined || record.score >= cutoff.score,
  shortfallOf({ most }, { record }, { chain, cutoff }) {
    const rank = record?.rank;
    // Equal scores share a rank: the last one's score is enough.
    const points = cutoff === undefined ? 0 : cutoff.score - (record?.score ?? 0);
    // Not every source can tell the rank of a sum.
    const isRanked = chain === undefined && rank !== undefined;
    return isRanked || points <= 0
      ? { kind: 'top', most, rank }
      : { kind: 'top', most, chain, points };
  },
  needText: ({ most }, { gate, number }) => gate.top(number(most)),
  shortfallText(shortfall, { access, chains, number }) {
    const most = number(shortfall.most);
    if ('rank' in shortfall) {
      const { rank } = shortfall;
      return rank === undefined ? access.noRank(most) : access.rank(number(rank), most);
    }
    const { points, chain } = shortfall;
    return chain === undefined
      ? access.toTop(points, number(points), most)
      : access.chainTop(points, number(points), most, chains[chain]);
  },
};
