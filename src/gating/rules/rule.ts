import { hasVisibleText, type PlatformId } from '#base';
import type { WalletMode } from '#gating/decide/counted-wallets';
import { isExcluded, type Requirement } from '#gating/requirements/index';
import type { UpperBound } from '#gating/requirements/kind';
import { type Reputation, TIERS, type TierThresholds } from '#reputation';
import type { Chain } from '#wallet';
import type { RuleRefusal } from './refusals.ts';

/** A group of people on a platform: a Discord guild or a Telegram group. */
export interface Community {
  readonly platform: PlatformId;
  readonly id: string;
}

export function isSame(one: Community, other: Community): boolean {
  return one.platform === other.platform && one.id === other.id;
}

/** Names a community, for instance as a piece of work; `communityOfKey` reads it. */
export function communityKey({ platform, id }: Community): string {
  return `${platform}:${id}`;
}

export function communityOfKey(key: string): Community {
  const at = key.indexOf(':');
  return { platform: key.slice(0, at) as Community['platform'], id: key.slice(at + 1) };
}

/** Stands for entry to a community, where other rules have a role's id. */
export const ENTRY = 'entry';

/** What a role, or for entry the group, is called: by its id where nothing of its name can be seen. */
export function grantNameOf({ id }: Community, grant: string, name: string): string {
  if (hasVisibleText(name)) return name;
  return grant === ENTRY ? id : grant;
}

/** Who gets a role, or may enter. */
export interface Rule {
  /** Four lower-case letters and digits, unique within the community. */
  readonly id: string;
  readonly community: Community;
  /** A role's id, or ENTRY. */
  readonly grant: string;
  /** The role's name, or the group's, as last seen. */
  readonly grantName: string;
  /** One or more. */
  readonly requirements: readonly Requirement[];
  /** Whether a single wallet, or the sum, must meet all of them, or any. */
  readonly match: 'all' | 'any';
  readonly chain: Chain | undefined;
  /** All of them hold, also where any requirement suffices; at most one of each kind. */
  readonly bounds?: readonly UpperBound[] | undefined;
  /** Whether to also remove it from members who got it another way. */
  readonly exclusive: boolean;
  /** Set where the community adds up a member's wallets: it's the community's setting when the rule was read. */
  readonly walletMode?: WalletMode | undefined;
  /** Whether members aren't told that there is such a rule. */
  readonly isHidden?: boolean | undefined;
  /** Seconds between the warning and the removal. */
  readonly graceSeconds: number;
  /** Why it's inactive; undefined if it's active. */
  readonly paused: PauseReason | undefined;
  readonly createdBy: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

/** `undo`: the last run was undone. The others come from the platform. */
export type PauseReason = 'moderator' | 'undo' | RuleRefusal;

/** Rules of one community. */
export const RULES_MAX = 25;
export const DEFAULT_GRACE = 86_400;

/** Whether it's about entry to a group. */
export function isEntry({ grant }: Pick<Rule, 'grant'>): boolean {
  return grant === ENTRY;
}

/** What a moderator chooses for a rule; the rest is filled in. */
export type RuleDraft = Pick<
  Rule,
  | 'grant'
  | 'requirements'
  | 'match'
  | 'chain'
  | 'bounds'
  | 'exclusive'
  | 'isHidden'
  | 'graceSeconds'
>;

/** What a moderator changes about a rule; the rest stays. */
export type RuleEdit = Partial<Omit<RuleDraft, 'grant'>>;

/** Rules for the same role that ask for the same act as one, with the longest of their grace periods. */
export function asksTheSame(rule: RuleDraft, other: RuleDraft): boolean {
  const asked = ({ grant, requirements, match, chain, bounds = [] }: RuleDraft) =>
    JSON.stringify([
      ...[grant, chain ?? null, requirements.length > 1 ? match : null],
      ...[sorted(requirements), sorted(bounds)],
    ]);
  return asked(rule) === asked(other);
}

/** Whether two are the same in all that moderators choose. */
export function isSameDraft(one: RuleDraft, other: RuleDraft): boolean {
  const manner = ({ match, exclusive, isHidden = false, graceSeconds }: RuleDraft) =>
    JSON.stringify([match, exclusive, isHidden, graceSeconds]);
  return asksTheSame(one, other) && manner(one) === manner(other);
}

function sorted(parts: readonly object[]): readonly string[] {
  return parts.map((each) => JSON.stringify(each)).toSorted();
}

export function isBounded({ bounds = [] }: Pick<Rule, 'bounds'>): boolean {
  return bounds.length > 0;
}

/** Whether a wallet exceeds what the rule allows. */
export function isBeyond(
  { bounds = [] }: Pick<Rule, 'bounds'>,
  record: Pick<Reputation, 'tier' | 'score'> | undefined,
): boolean {
  if (record === undefined) return false;
  return bounds.some((bound) =>
    bound.kind === 'below'
      ? TIERS.indexOf(record.tier) <= TIERS.indexOf(bound.tier)
      : record.score > bound.score,
  );
}

/**
 * Whether a rule's bounds exclude everybody who has what it asks for.
 * @param thresholds by which points are compared with tiers. That holds for now alone, as the operator may choose
 *   others; without them they aren't compared
 */
export function isImpossible(
  { requirements, match, bounds = [] }: Rule,
  thresholds?: TierThresholds,
): boolean {
  const isOut = (each: Requirement) => bounds.some((bound) => isExcluded(each, bound, thresholds));
  return match === 'all' ? requirements.some(isOut) : requirements.every(isOut);
}
