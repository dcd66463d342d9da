import { RetryableError } from '#base';
import { isBeyond, isBounded } from '#gating/rules/bounds';
import type { Requirement, Rule } from '#gating/rules/rule';
import {
  type LeaderboardEntry,
  type Reading,
  type Reputation,
  type ReputationSource,
  TIERS,
} from '#reputation';
import type { Wallet } from '#wallet';

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
      /** The wallet that decided, or came closest; undefined without linked wallets. */
      readonly standing: Standing | undefined;
      /** All wallets that the rule looks at, highest score first, if none meets it. */
      readonly standings?: readonly Standing[];
      /** Seconds since 1970 of the data. */
      readonly asOf: number | undefined;
    }
  | { readonly answer: 'unknown'; readonly why: UnknownReason };

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
    }
  | { readonly unknown: UnknownReason };

/**
 * Reads a member's wallets: completely and freshly, or not at all.
 * @param withBadges whether a rule requires one
 */
export async function readStandings(
  source: ReputationSource,
  wallets: readonly Wallet[],
  withBadges: boolean,
): Promise<MemberStandings> {
  const reading = source.reading('background');
  const standings: Standing[] = [];
  try {
    for (const wallet of wallets) {
      const record = await reading.reputation(wallet);
      const list = withBadges && record !== undefined ? await reading.badges(wallet) : undefined;
      const badges = withBadges ? (list?.badges.map(({ id }) => id) ?? []) : undefined;
      standings.push({ wallet, record, badges });
    }
  } catch (error) {
    if (error instanceof RetryableError) return { unknown: 'unavailable' };
    throw error;
  }
  if (isOld(reading)) return { unknown: 'stale' };
  return { standings, asOf: reading.asOf, isPartial: reading.isPartial === true };
}

function isOld(reading: Reading): boolean {
  return reading.isStale || reading.ageSeconds > FRESH_SECONDS;
}

/** What rules about the top N of a chain need, by rule id. */
export type Cutoffs = ReadonlyMap<string, LeaderboardEntry | undefined>;

/**
 * Whether any of the wallets meets the rule, and none exceeds its bounds. While points may be missing, lacking it
 * is unknown, and so are being among the top, as the points of others may be missing too, and being below a bound.
 */
export function judge(rule: Rule, read: MemberStandings, cutoffs: Cutoffs): Verdict {
  if ('unknown' in read) return { answer: 'unknown', why: read.unknown };
  const { standings, asOf, isPartial = false } = read;
  const fitting = standings.filter(
    ({ wallet }) => rule.chain === undefined || wallet.chain === rule.chain,
  );
  const best = fitting.toSorted((a, b) => (b.record?.score ?? -1) - (a.record?.score ?? -1));
  // A small wallet beside a large one doesn't put anyone below the bound.
  const isOver = fitting.some(({ record }) => isBeyond(rule, record));
  const meeting = isOver ? undefined : best.find((each) => meets(rule, each, cutoffs.get(rule.id)));
  const isRelative = rule.requirements.some(({ kind }) => kind === 'top') || isBounded(rule);
  if (isPartial && (meeting === undefined || isRelative)) {
    return { answer: 'unknown', why: 'partial' };
  }
  return meeting === undefined
    ? { answer: 'lacks', standing: best[0], standings: best, asOf }
    : { answer: 'meets', standing: meeting, asOf };
}

/** What matters about a wallet; `record` is undefined if it's unknown. */
export interface RatedWallet {
  readonly record: Pick<Reputation, 'tier' | 'score' | 'rank'> | undefined;
  readonly badges: readonly string[] | undefined;
}

/** The last of the top N; undefined if there are fewer. */
export type Cutoff = Pick<LeaderboardEntry, 'score'> | undefined;

/** Whether a wallet of the rule's chain meets the rule, apart from its bounds. */
export function meets(rule: Rule, standing: RatedWallet, cutoff: Cutoff): boolean {
  const test = (each: Requirement) => has(each, standing, rule, cutoff);
  return rule.match === 'all' ? rule.requirements.every(test) : rule.requirements.some(test);
}

/** Whether a wallet has what one requirement asks for. */
export function has(
  requirement: Requirement,
  { record, badges }: RatedWallet,
  { chain }: Rule,
  cutoff: Cutoff,
): boolean {
  if (record === undefined) return false;
  switch (requirement.kind) {
    case 'tier':
      return TIERS.indexOf(record.tier) <= TIERS.indexOf(requirement.tier);
    case 'score':
      return record.score >= requirement.least;
    case 'badge':
      return badges?.includes(requirement.badge) ?? false;
    case 'top':
      // Equal scores share a rank, so the last one's score suffices. On a chain with fewer wallets,
      // all of them are in.
      return chain === undefined
        ? record.rank <= requirement.most
        : cutoff === undefined || record.score >= cutoff.score;
  }
}

/** Reads what rules about a chain's top N need. @throws RetryableError */
export async function readCutoffs(
  source: ReputationSource,
  rules: readonly Rule[],
): Promise<Cutoffs> {
  const cutoffs = new Map<string, LeaderboardEntry | undefined>();
  const reading = source.reading('background');
  for (const { id, chain, requirements } of rules) {
    const top = requirements.find((each) => each.kind === 'top');
    if (top === undefined || chain === undefined) continue;
    const page = await reading.leaderboard({ chain, limit: 1, offset: top.most - 1 });
    cutoffs.set(id, page.leaderboard[0]);
  }
  if (isOld(reading)) throw new RetryableError('the leaderboard is stale');
  return cutoffs;
}
