import type { MaybePromise } from '#base';
import type { ReportRefusal } from '#gating/community-adapter';
import type { Community } from '#gating/rules/rule';
import { BADGE_TIERS, type BadgeTier, TIERS, type Tier } from '#reputation';
import type { DigestState } from './digest.ts';

/** What moderators have chosen to be announced. */
export interface AnnounceSettings {
  /** Where; the community itself on a platform without channels. */
  readonly channel: string;
  /** The lowest tier that is announced. */
  readonly from: Tier;
  /** The lowest tier of badges that are announced; undefined for none. */
  readonly badges: BadgeTier | undefined;
}

/** Why the last message couldn't be posted; `answer-lost`: it may have been, and isn't repeated. */
export type AnnounceFailure = ReportRefusal | 'answer-lost';

/** How far announcements have come. */
export interface AnnounceState {
  /** Seconds since 1970 of the last message. */
  readonly lastAt?: number | undefined;
  /** The message that is being posted, with those whose marks name it. */
  readonly post?: AnnouncedPost | undefined;
  readonly refused?: AnnounceFailure | undefined;
  /** Whether moderators were told of that. */
  readonly isTold?: boolean;
}

interface AnnouncedPost {
  /** The key of all attempts to post it. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly madeAt: number;
  /** When the platform was first asked, and may have posted it; undefined if it certainly hasn't. */
  readonly begunAt?: number | undefined;
  /** Where it was begun: its key protects it nowhere else. */
  readonly channel?: string | undefined;
}

/** What the next check of a community's members needs to know, on whichever replica. */
export interface LastObservation {
  /** The epoch of what was seen; see `Mark.epoch`. */
  readonly epoch: string;
  /** Identifies the rules that scores stood on. */
  readonly edition: string;
  readonly revision?: string | undefined;
  /** Whose wallets it has seen, as the store tells it. */
  readonly links?: string | undefined;
  /** When it was last sure that nothing is missed; seconds since 1970, as below. */
  readonly sureAt: number;
  readonly lookedAt: number;
  /** The source has been in doubt since. */
  readonly isDoubted?: boolean;
  /** Until when nothing new is a rise. */
  readonly quietUntil?: number | undefined;
}

/** What is to be announced of a member. */
interface Rise {
  /** When it was noticed, in seconds since 1970. */
  readonly at: number;
  readonly tier?: Tier | undefined;
  /** Ids. */
  readonly badges: readonly string[];
}

/** The last tier that a member was announced with. */
interface AnnouncedTier {
  readonly tier: Tier;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Badges that a member was announced with. */
interface AnnouncedBadges {
  readonly ids: readonly string[];
  /** Seconds since 1970 of the last ones. */
  readonly at: number;
}

/** What was last seen of a member, so that a rise is noticed, and announced once. */
export interface Mark {
  readonly account: string;
  /** What their figures depend on besides activity: a change of it is no rise. Empty once they have left. */
  readonly basis: string;
  /** The same for all members at once: the rules, and how often the source was in doubt. */
  readonly epoch: string;
  /** Undefined if none of their wallets had any activity. */
  readonly tier: Tier | undefined;
  /** Ids of the announced kind of badges that they have, or had. */
  readonly badges: readonly string[];
  /** When they fell from a tier, in seconds since 1970. */
  readonly had: Readonly<Partial<Record<Tier, number>>>;
  /** What is to be announced; undefined for nothing. */
  readonly rise: Rise | undefined;
  /** The message that announces it, once one is being posted. */
  readonly post: string | undefined;
  /** All that is kept of who has left, with the next one. */
  readonly told?: AnnouncedTier | undefined;
  readonly toldBadges?: AnnouncedBadges | undefined;
}

/** Whom a message told of, by account. */
export interface AnnouncedMembers {
  readonly at: number;
  readonly tiers: ReadonlyMap<string, Tier>;
  /** Their ids. */
  readonly badges: ReadonlyMap<string, readonly string[]>;
}

/** What is seen of a member now. */
export interface Sight {
  readonly basis: string;
  readonly epoch: string;
  readonly tier: Tier | undefined;
  readonly badges: readonly string[];
}

/** Marks of members, and which of them are being announced. Every method is one transaction. */
export interface MarkStore {
  /** Those with something to announce or show by themselves. */
  announcing(): MaybePromise<readonly Community[]>;
  /** Announces things, or does so in another way; what was seen before it was on is forgotten, as below. */
  turnOn(community: Community, settings: AnnounceSettings): MaybePromise<void>;
  marksOf(community: Community, accounts: readonly string[]): MaybePromise<readonly Mark[]>;
  /**
   * Adds or replaces those of present members; others are dropped.
   * @param read those of them that there were when they were looked at
   * @throws RetryableError if they have changed since; then none is written
   */
  putMarks(community: Community, marks: readonly Mark[], read: readonly Mark[]): MaybePromise<void>;
  /** Whether some have a rise that no message announces yet. */
  hasRises(community: Community): MaybePromise<boolean>;
  /**
   * Has a message announce all rises that none announces yet, and records that.
   * @throws RetryableError if there's another message, or was one since `state.lastAt`
   */
  claimRises(
    community: Community,
    state: AnnounceState & { post: AnnouncedPost },
  ): MaybePromise<void>;
  /** Those that a message announces. */
  marksIn(community: Community, post: string): MaybePromise<readonly Mark[]>;
  /**
   * Records how far a message has come, and leaves those who wait to another one.
   * @throws RetryableError if it isn't being posted any more, or is begun while some are to wait
   */
  beginPost(
    community: Community,
    post: AnnouncedPost,
    waiting: readonly string[],
  ): MaybePromise<void>;
  /** Ends a message: its rises are announced, or aren't any more. Records the state if it's still the one. */
  endPost(
    community: Community,
    post: string,
    state: AnnounceState,
    told?: AnnouncedMembers,
  ): MaybePromise<void>;
  /** Records that moderators know of a refusal, if it's still the last one; nothing else changes. */
  noteRefusalReported(community: Community, refused: AnnounceFailure): MaybePromise<void>;
  /**
   * Has the week told from now on, where something is announced, or not any more.
   * @param begun undefined to end it
   * @returns whether that wasn't so already
   */
  setDigest(community: Community, begun: DigestState | undefined): MaybePromise<boolean>;
  /**
   * Records how far a digest has come, unless it was turned off meanwhile.
   * @param outcome why it couldn't be posted: moderators are told, unless that's what is known already; `posted`
   *   ends what was known
   * @throws RetryableError if it isn't as it was read any more
   */
  noteDigest(
    community: Community,
    state: DigestState,
    read: DigestState,
    outcome?: AnnounceFailure | 'posted',
  ): MaybePromise<void>;
  /** Nothing is announced any more, nor the week told: what was seen is forgotten, what was announced isn't. */
  turnOff(community: Community): MaybePromise<void>;
  /** Deletes what was announced by then of members who have left, in all communities. */
  expireMarks(by: number): MaybePromise<void>;
}

/** Seconds for which a member who fell, or was announced and left, isn't announced with the same tier. */
export const QUIET_FOR = 30 * 86_400;
/** Badges remembered of a member, unless they have more. */
const BADGES_MOST = 500;

/** Whether a tier is at least as high as another. */
export function isAtLeast(tier: Tier, least: Tier): boolean {
  return TIERS.indexOf(tier) <= TIERS.indexOf(least);
}

/** Whether a badge's tier is at least as rare as another. */
export function isAsRare(tier: BadgeTier, least: BadgeTier): boolean {
  return BADGE_TIERS.indexOf(tier) >= BADGE_TIERS.indexOf(least);
}

/**
 * What is remembered of a member after a look.
 * @param from the lowest tier that is announced
 * @param ago seconds since a date
 */
export function marked(
  mark: Mark | undefined,
  account: string,
  sight: Sight,
  from: Tier,
  { now, ago }: { readonly now: number; readonly ago: (time: number) => number },
): Mark {
  const { basis, epoch, tier } = sight;
  const had = mark === undefined ? {} : hadAfter(mark, tier, now, ago);
  const isRecent = (at: number) => ago(at) < QUIET_FOR;
  if (mark === undefined || mark.basis !== basis) {
    const told = mark && recentOf(announcedTierOf(mark), isRecent);
    const toldBadges = mark && recentOf(announcedBadgesOf(mark), isRecent);
    const badges = remembered(toldBadges?.ids ?? [], sight.badges);
    return { account, ...sight, badges, had, rise: undefined, post: undefined, told, toldBadges };
  }
  const badges = remembered(mark.badges, sight.badges);
  // Who falls while a message is posted isn't in it any more, but may have been.
  const isRising = stillRisen(mark.rise, tier)?.tier !== undefined;
  const told = recentOf(isRising ? mark.told : announcedTierOf(mark), isRecent);
  const rise = mark.epoch === epoch ? riseOf({ ...mark, had, told }, sight, from, now) : mark.rise;
  const risen = stillRisen(rise, tier);
  // Nothing of theirs is left for it, and another one tells of their next rise.
  const post = risen === undefined ? undefined : mark.post;
  const toldBadges = recentOf(mark.toldBadges, isRecent);
  return { ...mark, epoch, tier, badges, had, rise: risen, post, told, toldBadges };
}

/** What they have is never forgotten, or it would be new again; of what they had, the oldest is. */
function remembered(before: readonly string[], held: readonly string[]): readonly string[] {
  const all = [...new Set([...before, ...held])];
  const own = new Set(held);
  let excess = all.length - BADGES_MOST;
  return all.filter((id) => own.has(id) || excess-- <= 0);
}

function riseOf(mark: Mark, { tier, badges }: Sight, from: Tier, now: number): Rise {
  const earned = badges.filter((each) => !mark.badges.includes(each));
  const before = mark.rise ?? { at: now, badges: [] };
  const known = [...Object.keys(mark.had), mark.told?.tier] as (Tier | undefined)[];
  // From nothing to any tier is a first import, not a rise.
  const isRise =
    tier !== undefined &&
    mark.tier !== undefined &&
    tier !== mark.tier &&
    isAtLeast(tier, mark.tier) &&
    isAtLeast(tier, from) &&
    !known.some((each) => each !== undefined && isAtLeast(each, tier));
  return {
    at: before.at,
    tier: isRise ? tier : before.tier,
    badges: [...before.badges, ...earned],
  };
}

/** A fall isn't announced; who fell before their rise was announced hasn't risen. */
function stillRisen(rise: Rise | undefined, tier: Tier | undefined): Rise | undefined {
  if (rise === undefined) return undefined;
  const isHeld = rise.tier !== undefined && tier !== undefined && isAtLeast(tier, rise.tier);
  const kept: Rise = { ...rise, tier: isHeld ? rise.tier : undefined };
  return kept.tier === undefined && kept.badges.length === 0 ? undefined : kept;
}

function hadAfter(
  { tier: before, had, rise }: Mark,
  tier: Tier | undefined,
  now: number,
  ago: (time: number) => number,
): Mark['had'] {
  const recent = Object.entries(had).filter(([, at]) => ago(at) < QUIET_FOR);
  const hasFallen = before !== undefined && (tier === undefined || !isAtLeast(tier, before));
  // They may rise to it again if nobody was told.
  if (!hasFallen || rise?.tier === before) return Object.fromEntries(recent);
  return { ...Object.fromEntries(recent), [before]: now };
}

/** What is kept of a member who has left: they may come back, and nobody is to be told again. */
export function leftMark(mark: Mark): Mark | undefined {
  const told = announcedTierOf(mark);
  const toldBadges = announcedBadgesOf(mark);
  if (told === undefined && toldBadges === undefined) return undefined;
  const unseen = { basis: '', epoch: '', tier: undefined, badges: [], had: {} };
  return { account: mark.account, ...unseen, rise: undefined, post: undefined, told, toldBadges };
}

/** What was announced last; a message that's being posted may have told of their rise. */
function announcedTierOf({ rise, post, told }: Mark): AnnouncedTier | undefined {
  const isTelling = post !== undefined && rise?.tier !== undefined;
  return isTelling ? { tier: rise.tier, at: rise.at } : told;
}

/** As of tiers. */
function announcedBadgesOf({ rise, post, toldBadges }: Mark): AnnouncedBadges | undefined {
  const isTelling = post !== undefined && rise !== undefined && rise.badges.length > 0;
  return isTelling ? withAnnouncedBadges(toldBadges, rise.badges, rise.at) : toldBadges;
}

/** What was announced of badges, with more of them. */
export function withAnnouncedBadges(
  before: AnnouncedBadges | undefined,
  ids: readonly string[],
  at: number,
): AnnouncedBadges {
  return { ids: remembered(before?.ids ?? [], ids), at };
}

function recentOf<T extends { readonly at: number }>(
  told: T | undefined,
  isRecent: (at: number) => boolean,
): T | undefined {
  return told !== undefined && isRecent(told.at) ? told : undefined;
}

/** Whether two are the same, so that nothing needs to be written. */
export function isSameMark(one: Mark | undefined, other: Mark): boolean {
  return one !== undefined && JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));
}

function canonical({ had, rise, told, toldBadges, ...mark }: Mark): readonly unknown[] {
  const { account, basis, epoch, tier, badges, post } = mark;
  const fallen = Object.entries(had).toSorted();
  const risen = [rise?.at, rise?.tier, rise?.badges, post];
  const announced = [told?.tier, told?.at, toldBadges?.ids, toldBadges?.at];
  return [account, basis, epoch, tier, badges, fallen, ...risen, ...announced];
}
