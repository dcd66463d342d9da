import { type Reputation, type Tier, type TierThresholds, tierOf } from '#reputation';
import type { Chain, Wallet } from '#wallet';

/** How several wallets of a member count in a community: each by itself, or their sum. */
export const WALLET_MODES = ['best', 'sum'] as const;
export type WalletMode = (typeof WALLET_MODES)[number];

/** What matters about a wallet, or about the sum of several; `record` is undefined if it was never seen. */
export interface RatedWallet {
  readonly record:
    | (Pick<Reputation, 'tier' | 'score'> & {
        /** A sum has one only for display, where the source can tell. */
        readonly rank?: number | undefined;
      })
    | undefined;
  /** Ids; undefined if they weren't read. */
  readonly badges?: readonly string[] | undefined;
  readonly isSum?: true;
}

/** A linked wallet and what matters about it. */
export interface LinkedFigures extends RatedWallet {
  readonly wallet: Wallet;
}

export interface WalletCounting {
  readonly mode: WalletMode;
  /** The only chain whose wallets count; undefined: all do. */
  readonly chain?: Chain | undefined;
  readonly thresholds: TierThresholds;
}

/**
 * What a member has by the wallets that count, highest score first: each wallet's own figures, or in a
 * community that adds them up, the sum alone, with the badges of all. The first is undefined without a
 * wallet that counts. Every surface asks here, so that they agree. A sum has no rank of its own: it has
 * the place after all wallets with more points.
 */
export function countWallets(
  wallets: readonly LinkedFigures[],
  { mode, chain, thresholds }: WalletCounting,
): readonly RatedWallet[] {
  const counted = wallets.filter(({ wallet }) => chain === undefined || wallet.chain === chain);
  if (mode === 'sum' && counted.length > 1) return [sumOf(counted, thresholds)];
  return counted.toSorted((a, b) => (b.record?.score ?? -1) - (a.record?.score ?? -1));
}

/** What a member has in boards and announcements; the tier is undefined where nobody knows that of a sum. */
export function standingOf(
  wallets: readonly LinkedFigures[],
  counting: WalletCounting,
): { readonly score: number; readonly tier: Tier | undefined } | undefined {
  const [first] = countWallets(wallets, counting);
  if (first?.record === undefined) return undefined;
  const { score, tier } = first.record;
  const isKnown = first.isSum !== true || knowsSums(wallets, counting.thresholds);
  return { score, tier: isKnown ? tier : undefined };
}

/** Whether a source's tiers begin where ours do: otherwise nobody knows the tier of a sum. */
export function knowsSums(wallets: readonly RatedWallet[], thresholds: TierThresholds): boolean {
  return wallets.every(
    ({ record }) => record === undefined || record.tier === tierOf(record.score, thresholds),
  );
}

function sumOf(wallets: readonly RatedWallet[], thresholds: TierThresholds): RatedWallet {
  const records = wallets.flatMap(({ record }) => record ?? []);
  const score = records.reduce((sum, record) => sum + record.score, 0);
  const lists = wallets.flatMap(({ badges }) => (badges === undefined ? [] : [badges]));
  return {
    record: records.length === 0 ? undefined : { score, tier: tierOf(score, thresholds) },
    badges: lists.length === 0 ? undefined : [...new Set(lists.flat())],
    isSum: true,
  };
}
