import type { OptionSpec } from '#command';
import type { Texts } from '#command/texts';
import type { RatedWallet } from '#gating/decide/counted-wallets';
import type { LeaderboardEntry, Tier, TierThresholds } from '#reputation';
import type { Chain } from '#wallet';

/**
 * A kind of requirement: how moderators ask for it, who has it, and how people read it. Stored rules carry
 * the requirement as JSON.
 */
export interface RequirementKind<R extends Kinded, S extends Kinded, O extends OptionSpec> {
  /** The option of `/gate add` that asks for it, named like the kind. */
  readonly option: O;
  /** What the option's value asks for; undefined for a value that no version offers. */
  read(value: O extends { readonly kind: 'integer' } ? number : string): R | undefined;
  /** Whether it looks at badges, which are read only where a rule does. */
  readonly needsBadges?: true;
  /** The place on the leaderboard whose score decides; undefined if only the wallet's own figures do. */
  cutoffPlace?(requirement: R): number;
  isMet(requirement: R, wallet: KnownWallet, rule: Compared): boolean;
  /**
   * Whether nobody can have it and stay within a bound; none if undefined.
   * @param thresholds by which points are compared with tiers; without them they aren't
   */
  isExcluded?(requirement: R, bound: UpperBound, thresholds: TierThresholds | undefined): boolean;
  /** What a wallet lacks that doesn't meet it. */
  shortfallOf(requirement: R, wallet: RatedWallet, measure: Measure): S;
  /** `Shark or higher` */
  needText(requirement: R, texts: Texts): string;
  /** `1,810 points to Titan` */
  shortfallText(shortfall: S, texts: Texts): string;
}

/** Requirements and shortfalls go by the name of their kind. */
interface Kinded {
  readonly kind: string;
}

/** A wallet that has been seen, or the sum of several. */
export type KnownWallet = RatedWallet & { readonly record: NonNullable<RatedWallet['record']> };

/** The last of the top N; undefined if there are fewer. */
export type Cutoff = Pick<LeaderboardEntry, 'score'> | undefined;

/** With whom a rule compares a wallet. */
export interface Compared {
  /** The rule's. */
  readonly chain: Chain | undefined;
  readonly cutoff: Cutoff;
}

/** What a shortfall is measured by. */
export interface Measure extends Compared {
  readonly thresholds: TierThresholds;
  /** What people call a badge with this id. */
  readonly badgeName: (id: string) => string;
}

/** The most that any of a member's wallets may have, whatever else the rule asks. */
export type UpperBound =
  | { readonly kind: 'below'; readonly tier: Tier }
  | { readonly kind: 'most'; readonly score: number };
