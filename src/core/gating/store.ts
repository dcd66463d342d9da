import type {
  AuditRow,
  Change,
  ChangeStatus,
  ChangeTally,
  Run,
  RunCounts,
} from '#core/gating/audit';
import type { Grant } from '#core/gating/grant';
import type { Implausible } from '#core/gating/implausible';
import type { Community, PauseReason, Rule } from '#core/gating/rule';
import type { MaybePromise } from '#core/maybe-promise';
import type { NegativeReadings } from '#core/negative-readings';
import type { Wallet } from '#core/wallet';

/** A member of a gated community as far as it is known here. */
export interface KnownMember {
  readonly account: string;
  readonly isProtected: boolean;
  /** Linked ones, whatever their owner shows. */
  readonly wallets: readonly Wallet[];
  /** They are no member, but have asked to be one. */
  readonly asksToJoin?: true;
}

/** What a source showed when it was last believed. */
export interface SourceMemory {
  readonly totalUsers: number;
  /** Set while it shows nothing but zeros and a moderator has said that this is so. */
  readonly areZerosAccepted?: boolean;
  /** What it shows instead since then that can't be right. */
  readonly doubt?: SourceDoubt;
}

/** What a source shows that can't be right, in how many passes in a row, and since when. */
interface SourceDoubt extends NegativeReadings {
  readonly shows: Implausible;
  /** Whether moderators were told. */
  readonly isTold: boolean;
}

/** How far the search for members among those who have linked wallets has come. */
export interface RollState {
  /** The last account that was asked about. */
  readonly after: string;
  /** Seconds since 1970 when all had been asked about; undefined before the first time. */
  readonly completedAt: number | undefined;
}

export interface CommunitySettings {
  /** Where reports go. */
  readonly logChannel: string | undefined;
  /** Undefined before it was ever believed. */
  readonly memory: SourceMemory | undefined;
  /** Undefined before the search has begun. */
  readonly roll: RollState | undefined;
}

/** That somebody has asked to join a community, and has had no answer yet. */
export interface JoinRequest {
  readonly account: string;
  /** BCP 47 tag of their language, as far as the platform tells. */
  readonly locale: string | undefined;
  /** Seconds since 1970. */
  readonly askedAt: number;
}

/** Requests to join that wait for an answer. Every method is one transaction. Throws RetryableError. */
export interface JoinRequestStore {
  /**
   * Who has asked before and asks again counts from now on.
   * @param most requests of the community that are kept: the oldest give way
   */
  keepJoinRequest(community: Community, request: JoinRequest, most: number): MaybePromise<void>;
  joinRequestOf(community: Community, account: string): MaybePromise<JoinRequest | undefined>;
  /** Answered, withdrawn or pointless. @returns whether there was one */
  endJoinRequest(community: Community, account: string): MaybePromise<boolean>;
  /** Ends those of all communities that were made before a time. */
  expireJoinRequests(before: number): MaybePromise<void>;
  /** Communities that an account has asked to join. */
  communitiesAsked(platform: string, account: string): MaybePromise<readonly Community[]>;
  /** Who has asked to join, with their wallets, in the order of their ids, those after the given one. */
  applicantsAfter(
    community: Community,
    after: string,
    limit: number,
  ): MaybePromise<readonly KnownMember[]>;
  applicant(community: Community, account: string): MaybePromise<KnownMember | undefined>;
  countApplicants(community: Community): MaybePromise<number>;
}

/** Rules, members, runs and the audit. Every method is one transaction. Throws RetryableError. */
export interface GateStore extends JoinRequestStore {
  /** With at least one rule. */
  communities(): MaybePromise<readonly Community[]>;
  /** Oldest first. */
  rulesOf(community: Community): MaybePromise<readonly Rule[]>;
  /** Adds it, or replaces the one with its id. */
  putRule(rule: Rule): MaybePromise<void>;
  /**
   * Changes what a rule is about, but neither whether it is paused nor what it gives. Members are counted
   * anew under it, but nothing is taken from them before the day that they were told.
   * @param change of the rule as it is then; may be called again
   * @returns the rule as it is now; undefined if it is gone
   */
  changeRule(
    community: Community,
    id: string,
    change: (rule: Rule) => Rule,
  ): MaybePromise<Rule | undefined>;
  /**
   * Changes nothing else of a rule, which others may have changed or removed meanwhile. Under one that
   * works again members are counted anew, as by `changeRule`.
   */
  pauseRule(community: Community, id: string, paused: PauseReason | undefined): MaybePromise<void>;
  /**
   * With what is remembered of its members, and what is planned by it; not its audit. Other rules that
   * give the same remember from then on what it did, and the day that members were told.
   */
  removeRule(rule: Rule): MaybePromise<void>;
  settingsOf(community: Community): MaybePromise<CommunitySettings>;
  /** Replaces those that are given; others may have changed the rest meanwhile. */
  putSettings(community: Community, changes: Partial<CommunitySettings>): MaybePromise<void>;

  /** Notes that accounts are members; who is one already stays as they are. */
  noteMembers(community: Community, accounts: readonly string[]): MaybePromise<void>;
  /**
   * Notes that a complete list came without these members; being noted as members ends that.
   * @returns those without whom one came at that time or before already
   */
  missMembers(
    community: Community,
    accounts: readonly string[],
    now: number,
    before: number,
  ): MaybePromise<readonly string[]>;
  /** Accounts with linked wallets that are not known as members, in the order of their ids. */
  linkedElsewhere(
    community: Community,
    after: string,
    limit: number,
  ): MaybePromise<readonly string[]>;
  /** With what is remembered of it under all rules; but who is protected will be so on return. */
  forgetMember(community: Community, account: string): MaybePromise<void>;
  /** Who is protected is noted as a member. */
  protect(community: Community, account: string, isProtected: boolean): MaybePromise<void>;
  /** In the order of their ids, those after the given one. */
  membersAfter(
    community: Community,
    after: string,
    limit: number,
  ): MaybePromise<readonly KnownMember[]>;
  member(community: Community, account: string): MaybePromise<KnownMember | undefined>;
  countMembers(community: Community): MaybePromise<number>;
  /** A community got another id. Its audit stays under the old one, for it is never changed. */
  moveCommunity(from: Community, to: Community): MaybePromise<void>;
  /** Gated communities in which the account is known. */
  communitiesOf(platform: string, account: string): MaybePromise<readonly Community[]>;

  /** What is remembered of these accounts, under all rules of the community. */
  grantsOf(community: Community, accounts: readonly string[]): MaybePromise<readonly Grant[]>;
  /** Adds or replaces them; those of a rule that is gone are not kept. */
  putGrants(community: Community, grants: readonly Grant[]): MaybePromise<void>;
  /**
   * Accounts remembered to have something that any of these rules gives, from it or otherwise, in the
   * order of their ids, those after the given one. Some may have lost it since, or have left.
   */
  holdersAfter(
    community: Community,
    rules: readonly string[],
    after: string,
    limit: number,
  ): MaybePromise<readonly string[]>;

  /** @returns false if another run of the community is under way; held ones are not */
  beginRun(run: Run): MaybePromise<boolean>;
  /** A queued run is under way. @returns false if it is not queued any more, or another one runs */
  startRun(run: string): MaybePromise<boolean>;
  /** A held run is under way again. @returns false if it is not held any more, or another one runs */
  confirmRun(run: string, by: string): MaybePromise<boolean>;
  /** Asks an open run to end before its next change. @returns false if it is not open */
  stopRun(run: string, by: string): MaybePromise<boolean>;
  run(id: string): MaybePromise<Run | undefined>;
  /** Runs that undo this one, oldest first. */
  undosOf(run: Pick<Run, 'id' | 'community'>): MaybePromise<readonly Run[]>;
  /** Of runs that were begun. */
  planChanges(changes: readonly Change[]): MaybePromise<void>;
  /** Of one run in their order, those of a status. */
  changesOf(
    run: string,
    status: ChangeStatus | undefined,
    after: number,
    limit: number,
  ): MaybePromise<readonly Change[]>;
  /**
   * Notes how far a change is and why, with the audit's row, and what is remembered from now on. The
   * row's time is when it was settled.
   * @returns whether it was noted. One that is gone, as its rule was removed or its account erased,
   *   is not, and must not be begun; but if it is done, that is told and remembered all the same.
   */
  markChange(
    change: Change,
    row: AuditRow,
    community: Community,
    grants: readonly Grant[],
  ): MaybePromise<boolean>;
  /** Marks what a run has planned and not begun, under one rule or all, as left alone. */
  skipPlanned(run: string, rule: string | undefined, reason: string): MaybePromise<void>;
  tallyOf(run: string): MaybePromise<readonly ChangeTally[]>;
  /** Changes that are begun or unknown, of a community or one member of it, whoever is at them. */
  unsettledOf(community: Community, account: string | undefined): MaybePromise<readonly Change[]>;
  /** What passes have taken since then without a moderator's word, each member and grant once. */
  takenSince(
    community: Community,
    since: number,
  ): MaybePromise<readonly { readonly grant: string; readonly account: string }[]>;
  /** A run is finished when it ends `finished`, `stopped` or `undone`, the first time that it does. */
  endRun(run: string, status: Run['status'], counts: RunCounts, now: number): MaybePromise<void>;
  /** Forgets a run in which nothing was done, with its changes; one in which something was stays. */
  forgetRun(run: string): MaybePromise<void>;
  /** Those queued or under way, oldest first: to be gone on with after a restart. Held ones wait for a moderator. */
  openRuns(): MaybePromise<readonly Run[]>;
  /** Newest first: they wait for a moderator. */
  heldRuns(community: Community): MaybePromise<readonly Run[]>;
  /** Of all communities, oldest first: held and ended ones that moderators were not told of; no undos. */
  untoldRuns(limit: number): MaybePromise<readonly Run[]>;
  /** Notes when moderators were told of runs, the first time. */
  tellRuns(runs: readonly string[], now: number): MaybePromise<void>;
  /** Newest first. */
  runsOf(community: Community, limit: number): MaybePromise<readonly Run[]>;

  audit(rows: readonly AuditRow[]): MaybePromise<void>;
  /** Newest first. @param account of one member alone */
  auditOf(
    community: Community,
    account: string | undefined,
    limit: number,
    offset: number,
  ): MaybePromise<readonly AuditRow[]>;
  /**
   * The same for people to read: without what only says that a change was begun, once there is more
   * to tell of it.
   */
  logOf(
    community: Community,
    account: string | undefined,
    limit: number,
    offset: number,
  ): MaybePromise<readonly AuditRow[]>;
}
