import { RetryableError, sanitizeText, truncate, UserError } from '#base';
import { rankText, type TierProgress, tierProgress } from '#command';
import { textsFor } from '#command/texts';
import {
  type BadgeDefinition,
  byRarity,
  type EarnedBadge,
  type Reading,
  type Reputation,
  type ScoreDay,
  type Tier,
  type TierThresholds,
} from '#reputation';
import { type Chain, shortAddress, type Wallet } from '#wallet';

/** How many badges a rank card shows. */
const CARD_BADGES = 6;
/** The points of the plot; more can't be distinguished at its width. */
const HISTORY_POINTS = 120;
const DAY_MS = 86_400_000;

/** A badge as pictures show it. */
export type PicturedBadge = Pick<BadgeDefinition, 'id' | 'name' | 'tier' | 'imageUrl'>;

/** Everything on a rank card: equal cards give equal pictures. */
export interface RankCard {
  readonly address: string;
  readonly chain: Chain;
  /** Chosen by its owner: unsafe until sanitized. */
  readonly name: string | undefined;
  readonly score: number;
  readonly tier: Tier;
  readonly rank: number;
  readonly totalUsers: number;
  /** Undefined if score and tier don't match the thresholds. */
  readonly progress: TierProgress | undefined;
  /** Rarest first, at most CARD_BADGES. */
  readonly badges: readonly PicturedBadge[];
  readonly badgeTotal: number;
  /** Days since 1970-01-01 with the score at their end, oldest first; empty if unknown. */
  readonly history: readonly (readonly [day: number, score: number])[];
  /** Whether newer data may be missing. */
  readonly isStale: boolean;
  /** Whether chains are still being read. */
  readonly isPartial: boolean;
  /** Whether the wallet is made up. */
  readonly isDemo: boolean;
}

/** The parts of a card, all from one reading. */
export interface RankCardParts {
  readonly record: Reputation;
  readonly badges: readonly EarnedBadge[];
  readonly name: string | undefined;
  readonly history: readonly ScoreDay[];
  readonly isStale: boolean;
  readonly isPartial?: boolean | undefined;
}

/** What all cards of an instance share. */
export interface CardSettings {
  readonly thresholds: TierThresholds;
  readonly isDemo: boolean;
}

export function rankCardOf(parts: RankCardParts, { thresholds, isDemo }: CardSettings): RankCard {
  const { record, name, history, isStale, isPartial = false } = parts;
  const { address, chain, score, tier, rank, totalUsers } = record;
  const badges = byRarity(parts.badges).map(({ id, name, tier, imageUrl }) => {
    return { id, name, tier, imageUrl };
  });
  return {
    ...{ address, chain, name, score, tier, rank, totalUsers, isStale, isPartial, isDemo },
    progress: tierProgress(score, tier, thresholds),
    badges: badges.slice(0, CARD_BADGES),
    badgeTotal: badges.length,
    // A history that ends with another score is of another moment.
    history: history.at(-1)?.score === score ? thinned(history) : [],
  };
}

/**
 * Reads a wallet's card.
 * @returns undefined if the wallet has no activity
 * @throws RetryableError if the data is unavailable
 */
export async function readRankCard(
  reading: Reading,
  wallet: Wallet,
  settings: CardSettings,
): Promise<RankCard | undefined> {
  const [record, list, name, history] = await Promise.all([
    reading.reputation(wallet),
    reading.badges(wallet),
    reading.nameOf(wallet),
    historyOf(reading, wallet),
  ]);
  if (record === undefined) return undefined;
  const { isStale, isPartial } = reading;
  const badges = list?.badges ?? [];
  return rankCardOf({ record, badges, name, history, isStale, isPartial }, settings);
}

/** A source without history only leaves the plot out. */
export async function historyOf(reading: Reading, wallet: Wallet): Promise<readonly ScoreDay[]> {
  try {
    return (await reading.history(wallet, {}))?.days ?? [];
  } catch (error) {
    const isUnknown = error instanceof UserError && error.code === 'route-not-found';
    if (isUnknown || error instanceof RetryableError) return [];
    throw error;
  }
}

/** At most HISTORY_POINTS days; the last one of those that would share a point, so that the end stays. */
function thinned(history: readonly ScoreDay[]): (readonly [number, number])[] {
  const points = history.map(
    ({ day, score }) => [Math.floor(Date.parse(day) / DAY_MS), score] as const,
  );
  const first = points[0]?.[0] ?? 0;
  const span = Math.max(1, (points.at(-1)?.[0] ?? 0) - first);
  const places = new Map<number, readonly [number, number]>();
  for (const point of points) {
    places.set(Math.floor(((point[0] - first) / span) * (HISTORY_POINTS - 1)), point);
  }
  return [...places.values()];
}

/** Discord accepts 1024 characters, but no one wants to hear more than this. */
const ALT_MAX = 500;
const NAME_MAX = 60;

/** Everything on a rank card in words, for screen readers and search engines. */
export function altTextOf(card: RankCard, language: string): string {
  const texts = textsFor(language);
  const { number, picture, tiers, rep } = texts;
  const short = shortAddress(card.address);
  const name = sanitizeText(card.name ?? '', NAME_MAX);
  const rank = rankText(card.rank, card.totalUsers, texts);
  const sentences = [
    picture.alt(
      name === '' ? short : `${name} (${short})`,
      tiers[card.tier],
      number(card.score),
      rank,
    ),
  ];
  const { progress } = card;
  if (progress?.isHighest === true) sentences.push(rep.highest);
  if (progress?.isHighest === false) {
    const { missing, next } = progress;
    sentences.push(rep.toNext(missing, number(missing), tiers[next]));
  }
  const badges = card.badges.map((badge) => sanitizeText(badge.name, NAME_MAX));
  const more = card.badgeTotal - badges.length;
  if (more > 0) badges.push(rep.more(number(more)));
  if (badges.length > 0) sentences.push(picture.badges(badges.join(', ')));
  if (card.isStale) sentences.push(picture.stale);
  if (card.isPartial) sentences.push(picture.partial);
  if (card.isDemo) sentences.push(picture.demo);
  return truncate(`${sentences.join('. ')}.`, ALT_MAX);
}
