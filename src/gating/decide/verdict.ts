import { RetryableError, UserError } from '#base';
import { cutoffPlace, isMet, needsBadges, type Requirement } from '#gating/requirements/index';
import type { Cutoff } from '#gating/requirements/kind';
import { isBeyond, isBounded, type Rule } from '#gating/rules/rule';
import {
  DEFAULT_THRESHOLDS,
  type LeaderboardEntry,
  type Reading,
  type Reputation,
  type ReputationSource,
  type TierThresholds,
} from '#reputation';
import type { Chain, Wallet } from '#wallet';
import { countWallets, knowsSums, type RatedWallet } from './counted-wallets.ts';

/** What was read of a wallet; `record` is undefined if it's unknown. */
export interface Standing {
  readonly wallet: Wallet;
  readonly record: Reputation | undefined;
  /** Ids of its badges; undefined if no rule requires one. */
  readonly badges: readonly string[] | undefined;
}

/** Whether a member meets a rule. `unknown` never changes anything. */
export type Verdict =
  | {
      readonly answer: 'meets' | 'lacks';
      /** The wallet or the sum that decided, or came closest; undefined without linked wallets. */
      readonly standing: RatedWallet | undefined;
      /** All that the rule looks at, highest score first, if none meets it. */
      readonly standings?: readonly RatedWallet[];
      /** Which of the rule's badges it has; none where the rule asks for none, or nobody was asked for their names. */
      readonly badges?: readonly AskedBadge[];
      /** Seconds since 1970 of the data. */
      readonly asOf: number | undefined;
    }
  | { readonly answer: 'unknown'; readonly why: UnknownReason };

/** A badge that a rule asks for, by the name that people know. */
export interface AskedBadge {
  readonly name: string;
  readonly isHeld: boolean;
}

/** The source fails, or its data is stale, incomplete or implausible. */
export type UnknownReason = 'unavailable' | 'stale' | 'partial' | 'implausible';

/** Answers older than this aren't fresh. */
const FRESH_SECONDS = 300;

/** Figures of a member's wallets, or why they're unknown. */
export type MemberStandings =
  | {
      readonly standings: readonly Standing[];
      readonly asOf: number | undefined;
      /** Points may be missing, as chains are still being read. */
      readonly isPartial?: boolean;
      /** Wallets that couldn't be read: the others may suffice. */
      readonly unread?: readonly Wallet[];
      /** Ranks of sums, by score; those that the source can't tell are missing. */
      readonly ranks?: ReadonlyMap<number, number>;
    }
  | { readonly unknown: UnknownReason };

/** What some rules look at besides tier, score and rank of each wallet. */
export interface Needs {
  readonly badges: boolean;
  readonly sums: Sums;
}

const NO_NEEDS: Needs = {
  badges: false,
  sums: { chains: new Set(), thresholds: DEFAULT_THRESHOLDS },
};

export function needsFor(rules: readonly Rule[], thresholds: TierThresholds): Needs {
  const added = rules.filter(({ walletMode }) => walletMode === 'sum');
  return {
    badges: rules.some(({ requirements }) => needsBadges(requirements)),
    sums: { chains: new Set(added.map(({ chain }) => chain)), thresholds },
  };
}

/**
 * Reads a member's wallets, freshly or not at all.
 * @param needs what else to read; nothing by default
 */
export async function readStandings(
  source: ReputationSource,
  wallets: readonly Wallet[],
  { badges: withBadges, sums }: Needs = NO_NEEDS,
): Promise<MemberStandings> {
  const reading = source.reading('background');
  const standings: Standing[] = [];
  const unread: Wallet[] = [];
  for (const wallet of wallets) {
    try {
      const record = await reading.reputation(wallet);
      const list = withBadges && record !== undefined ? await reading.badges(wallet) : undefined;
      const badges = withBadges ? (list?.badges.map(({ id }) => id) ?? []) : undefined;
      standings.push({ wallet, record, badges });
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      unread.push(wallet);
    }
  }
  if (standings.length === 0 && unread.length > 0) return { unknown: 'unavailable' };
  const ranks = await readRanks(reading, standings, sums);
  if (isOld(reading)) return { unknown: 'stale' };
  const { asOf, isPartial } = reading;
  return { standings, asOf, isPartial: isPartial === true, unread, ranks };
}

/** What is added up; undefined stands for the wallets of all chains. */
interface Sums {
  readonly chains: ReadonlySet<Chain | undefined>;
  readonly thresholds: TierThresholds;
}

/** Only people look at them: rules compare with the last of the top N, which every source can tell. */
async function readRanks(
  reading: Reading,
  standings: readonly Standing[],
  { chains, thresholds }: Sums,
): Promise<ReadonlyMap<number, number>> {
  const scores = [...chains]
    .flatMap((chain) => countWallets(standings, { mode: 'sum', chain, thresholds }))
    .flatMap(({ isSum, record }) => (isSum === true && record ? record.score : []));
  return await ranksOf(reading, scores);
}

/** The ranks that these scores would have, as far as the source can tell. */
export async function ranksOf(
  reading: Reading,
  scores: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (scores.length === 0) return NO_RANKS;
  try {
    const higher = await reading.countFrom(scores.map((score) => score + 1));
    return new Map(scores.map((score, i) => [score, 1 + (higher[i] ?? 0)]));
  } catch (error) {
    const isUntold = error instanceof UserError && error.code === 'route-not-found';
    if (isUntold || error instanceof RetryableError) return NO_RANKS;
    throw error;
  }
}

const NO_RANKS: ReadonlyMap<number, number> = new Map();

function isOld(reading: Reading): boolean {
  return reading.isStale || reading.ageSeconds > FRESH_SECONDS;
}

/** What rules about a top N need that compare with its last one, by rule id. */
export type Cutoffs = ReadonlyMap<string, LeaderboardEntry | undefined>;

/**
 * Whether any of the wallets meets the rule, or their sum where the community adds them up, and none exceeds
 * its bounds. While points may be missing, lacking it is unknown, and so are being among the top, as the points
 * of others may be missing too, and being below a bound. The same goes for wallets that couldn't be read, but
 * points of theirs only ever help to get among the top.
 */
export function evaluateRule(
  rule: Rule,
  read: MemberStandings,
  cutoffs: Cutoffs,
  thresholds: TierThresholds,
): Verdict {
  if ('unknown' in read) return { answer: 'unknown', why: read.unknown };
  const { standings, asOf, isPartial = false, unread = [], ranks = NO_RANKS } = read;
  const { chain, walletMode: mode = 'best' } = rule;
  const best = countWallets(standings, { mode, chain, thresholds }).map((each) =>
    withRank(each, ranks),
  );
  if (best.some(({ isSum }) => isSum) && !knowsSums(standings, thresholds)) {
    return { answer: 'unknown', why: 'implausible' };
  }
  // A small wallet beside a large one doesn't put anyone below the bound.
  const isOver = best.some(({ record }) => isBeyond(rule, record));
  const meeting = isOver ? undefined : best.find((each) => meets(rule, each, cutoffs.get(rule.id)));
  const isRelative = cutoffPlace(rule.requirements) !== undefined || isBounded(rule);
  if (isPartial && (meeting === undefined || isRelative)) {
    return { answer: 'unknown', why: 'partial' };
  }
  const isUnread = unread.some((wallet) => chain === undefined || wallet.chain === chain);
  if (isUnread && (meeting === undefined || isBounded(rule))) {
    return { answer: 'unknown', why: 'unavailable' };
  }
  return meeting === undefined
    ? { answer: 'lacks', standing: best[0], standings: best, asOf }
    : { answer: 'meets', standing: meeting, asOf };
}

/** The same with the rule's badges, which figures alone don't tell. @param nameOf what people call one with this id */
export function withAskedBadges(
  verdict: Verdict,
  { requirements }: Rule,
  nameOf: (id: string) => string,
): Verdict {
  const held = verdict.answer === 'unknown' ? undefined : verdict.standing?.badges;
  if (held === undefined || verdict.answer === 'unknown') return verdict;
  const badges = requirements.flatMap((each) =>
    each.kind === 'badge' ? [{ name: nameOf(each.badge), isHeld: held.includes(each.badge) }] : [],
  );
  return badges.length === 0 ? verdict : { ...verdict, badges };
}

function withRank(rated: RatedWallet, ranks: ReadonlyMap<number, number>): RatedWallet {
  const { isSum, record } = rated;
  const rank = isSum === true && record ? ranks.get(record.score) : undefined;
  return rank === undefined || record === undefined
    ? rated
    : { ...rated, record: { ...record, rank } };
}

/** Whether a wallet of the rule's chain, or a sum, meets the rule, apart from its bounds. */
export function meets(rule: Rule, standing: RatedWallet, cutoff: Cutoff): boolean {
  const test = (each: Requirement) => isMet(each, standing, { chain: rule.chain, cutoff });
  return rule.match === 'all' ? rule.requirements.every(test) : rule.requirements.some(test);
}

/** Reads the last of the top N of rules that compare with it: of a chain, or of sums. @throws RetryableError */
export async function readCutoffs(
  source: ReputationSource,
  rules: readonly Rule[],
): Promise<Cutoffs> {
  const cutoffs = new Map<string, LeaderboardEntry | undefined>();
  const reading = source.reading('background');
  for (const { id, chain, requirements, walletMode } of rules) {
    const place = cutoffPlace(requirements);
    if (place === undefined || (chain === undefined && walletMode !== 'sum')) continue;
    const page = await reading.leaderboard({
      ...{ chain: chain ?? ('all' as const), limit: 1, offset: place - 1 },
    });
    cutoffs.set(id, page.leaderboard[0]);
  }
  if (isOld(reading)) throw new RetryableError('the leaderboard is stale');
  return cutoffs;
}
