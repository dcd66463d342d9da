import type { Texts } from '#command/texts/index';
import { lowestScoreOf, TIERS, type Tier, type TierThresholds } from '#reputation';

/** Below the better half of all, a percentile says nothing that the rank doesn't. */
const TOP_MOST = 50;

/**
 * A rank's percentile: whole percents, rounded up, and tenths below one.
 * @returns 0.1 to 100
 */
export function topPercent(rank: number, total: number): number {
  // Multiply first: 7 / 100 * 100 is more than 7.
  const whole = Math.ceil((rank * 100) / Math.max(total, 1));
  if (whole > 1 || rank * 100 === total) return Math.min(whole, 100);
  return Math.ceil((rank * 1000) / Math.max(total, 1)) / 10;
}

/** `top 5%`; undefined for the first rank and in the lower half. */
export function topText(rank: number, total: number, texts: Texts): string | undefined {
  const percent = topPercent(rank, total);
  return rank === 1 || percent > TOP_MOST ? undefined : texts.rep.top(texts.percent(percent));
}

/** `3 of 60 · top 5%`, or `58 of 60`. */
export function rankText(rank: number, total: number, texts: Texts): string {
  const place = texts.rep.rankOf(texts.number(rank), texts.number(total));
  const top = topText(rank, total, texts);
  return top === undefined ? place : `${place} · ${top}`;
}

/** A share of a whole in percent, to a tenth: `1.2%`. None and all have no tenths. */
export function shareOf(count: number, total: number, { percent, percentTenths }: Texts): string {
  if (count === 0 || total === 0) return percent(0);
  if (count === total) return percent(100);
  const tenths = Math.round((count * 1000) / total);
  // Few must not read as none, nor nearly all as all.
  if (tenths === 0) return `<${percentTenths(0.1)}`;
  if (tenths === 1000) return `>${percentTenths(99.9)}`;
  return percentTenths(tenths / 10);
}

/** How far a score has come on its way to the next tier. */
export type TierProgress =
  | { readonly isHighest: true }
  | {
      readonly isHighest: false;
      readonly next: Tier;
      /** Points still missing. */
      readonly missing: number;
      /** 0 to 1, exclusive. */
      readonly fraction: number;
    };

/** Undefined if score and tier don't match our thresholds: the source uses different ones. */
export function tierProgress(
  score: number,
  tier: Tier,
  thresholds: TierThresholds,
): TierProgress | undefined {
  const next = TIERS[TIERS.indexOf(tier) - 1];
  if (next === undefined) return { isHighest: true };
  const from = lowestScoreOf(tier, thresholds);
  const to = lowestScoreOf(next, thresholds);
  if (score < from || score >= to) return undefined;
  return { isHighest: false, next, missing: to - score, fraction: (score - from) / (to - from) };
}
