import {
  type LinkedFigures,
  standingOf,
  type WalletCounting,
  type WalletMode,
} from '#gating/decide/counted-wallets';
import type { Tier } from '#reputation';

/** What a member has on a board. */
export interface MemberStanding {
  readonly points: number;
  /** Undefined for what was gained in some days, and where nobody knows it. */
  readonly tier: Tier | undefined;
}

/** By score; undefined without a wallet that counts and was ever seen. */
export function memberStanding(
  wallets: readonly LinkedFigures[],
  counting: WalletCounting,
): MemberStanding | undefined {
  const standing = standingOf(wallets, counting);
  return standing && { points: standing.score, tier: standing.tier };
}

/** By what their wallets that count have gained; undefined if that's nothing. */
export function memberGain(gains: readonly number[], mode: WalletMode): MemberStanding | undefined {
  const sum = gains.reduce((all, gain) => all + gain, 0);
  const points = mode === 'sum' ? sum : Math.max(0, ...gains);
  return points > 0 ? { points, tier: undefined } : undefined;
}
