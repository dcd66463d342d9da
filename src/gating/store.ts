import type { MaybePromise } from '#base';
import type { NegativeReadings } from '#reputation';
import type { Wallet } from '#wallet';
import type { DigestState } from './announce/digest.ts';
import type {
  AnnounceSettings,
  AnnounceState,
  LastObservation,
  MarkStore,
} from './announce/mark.ts';
import type { WalletMode } from './decide/counted-wallets.ts';
import type { Grant } from './decide/grant.ts';
import type {
  BarStore,
  MemberBar,
  MemberRefusal,
  RefusalStore,
} from './members/bars/member-bars.ts';
import type { PanelPost, PanelSettings } from './panel/panel-post.ts';
import type {
  AuditRow,
  Change,
  ChangeStatus,
  ChangeTally,
  Run,
  RunCounts,
} from './reports/audit.ts';
import type { Implausible } from './rules/implausible.ts';
import type { Community, PauseReason, Rule } from './rules/rule.ts';
import type { SetupRecord } from './setup/record.ts';

/** A member of a gated community, as far as we know. */
export interface KnownMember {
  readonly account: string;
  readonly isProtected: boolean;
  /** All linked wallets, visible or not. */
  readonly wallets: readonly Wallet[];
  /** They aren't a member, but have requested to join. */
  readonly asksToJoin?: true;
}

/** What a source showed when it was last plausible. */
export interface SourceMemory {
  readonly totalUsers: number;
  /** Set while it shows nothing but zeros and a moderator has confirmed that. */
  readonly areZerosAccepted?: boolean;
  /** What it has shown since then that's implausible. */
  readonly doubt?: SourceDoubt;
}

/** What is implausible about a source, for how many consecutive passes, and since when. */
interface SourceDoubt extends NegativeReadings {
  readonly shows: Implausible;
  /** Whether moderators were told. */
  readonly isTold: boolean;
}

/** A check of one member that isn't over. */
interface LeftCheck {
  readonly community: Community;
  readonly account: string;
}

/** Progress of the search for members among accounts with linked wallets. */
export interface MemberScanProgress {
  /** The last account looked up. */
  readonly after: string;
  /** Seconds since 1970 when all had been looked up; undefined before the first time. */
  readonly completedAt: number | undefined;
}

export interface CommunitySettings {
  /** Where reports are posted. */
  readonly logChannel: string | undefined;
  /** Undefined if it was never plausible. */
  readonly memory: SourceMemory | undefined;
  /** Undefined before the search has begun. */
  readonly memberScan: MemberScanProgress | undefined;
  /** The one link that requests to join are made with; undefined if there is none yet. */
  readonly invite: string | undefined;
  /** Whether members get the highest of the roles for tiers alone. */
  readonly isLadder?: boolean | undefined;
  /** How a member's wallets count; undefined: each by itself. */
  readonly walletMode?: WalletMode | undefined;
  /** The language of what everybody reads there; undefined: the platform's for the community, or the reader's. */
  readonly language?: string | undefined;
  /** The newest entry of the platform's own log that counts here; undefined before the first. */
  readonly auditCursor?: string | undefined;
  /** What the last `/gate setup` made; undefined if there was none, or it was undone. */
  readonly setup?: SetupRecord | undefined;
  /** Undefined if nothing is announced. */
  readonly announce?: AnnounceSettings | undefined;
  readonly announced?: AnnounceState | undefined;
  readonly look?: LastObservation | undefined;
  /** Undefined if there's no panel. */
  readonly panel?: PanelSettings | undefined;
  readonly panelPost?: PanelPost | undefined;
  /** Undefined if no weekly digest is posted. */
  readonly digest?: DigestState | undefined;
}

/** What a pass over a community goes by. */
export interface RulesAndSettings {
  /** Oldest first. */
  readonly rules: readonly Rule[];
  readonly settings: CommunitySettings;
}

/** What is on record of some members, besides who they are. */
interface MemberRecords {
  /** Under all rules, by account and rule. */
  readonly grants: readonly Grant[];
  readonly bars: readonly MemberBar[];
  readonly refusals: readonly MemberRefusal[];
}

/** A pending request to join a community. */
export interface JoinRequest {
  readonly account: string;
  /** BCP 47 tag of their language, if the platform tells. */
  readonly locale: string | undefined;
  /** Seconds since 1970. */
  readonly askedAt: number;
}

/** Pending join requests. Every method is one transaction. Throws RetryableError. */
export interface JoinRequestStore {
  /**
   * A repeated request counts from now on.
   * @param most requests kept per community: the oldest are dropped
   */
  keepJoinRequest(community: Community, request: JoinRequest, most: number): MaybePromise<void>;
  joinRequestOf(community: Community, account: string): MaybePromise<JoinRequest | undefined>;
  /**
   * Deletes a request that was answered, withdrawn or is pointless. @returns whether there was one
   */
  endJoinRequest(community: Community, account: string): MaybePromise<boolean>;
  /** Deletes those of all communities from before a time. */
  expireJoinRequests(before: number): MaybePromise<void>;
  /** Communities that an account has requested to join. */
  communitiesAsked(platform: string, account: string): MaybePromise<readonly Community[]>;
  /** Applicants with their wallets, by id, after the given one. */
  applicantsAfter(
    community: Community,
    after: string,
    limit: number,
  ): MaybePromise<readonly KnownMember[]>;
  applicant(community: Community, account: string): MaybePromise<KnownMember | undefined>;
  countApplicants(community: Community): MaybePromise<number>;
}

/**
 * Usernames of people whom the bot has met in a community, where the platform doesn't resolve them
 * itself. Letter case doesn't matter. Every method is one transaction. Throws RetryableError.
 */
export interface UsernameStore {
  /** @param username the present one; undefined if they have none any more */
  noteUsername(
    community: Community,
    account: string,
    username: string | undefined,
    now: number,
  ): MaybePromise<void>;
  /** The member who was last seen with it. */
  accountNamed(community: Community, username: string): MaybePromise<string | undefined>;
  /** Deletes those of all communities that were last seen before a time. */
  expireUsernames(before: number): MaybePromise<void>;
}

/**
 * Rules, members, runs and the audit log. Every method is one transaction. Throws RetryableError.
 */
export interface GateStore
  extends JoinRequestStore,
    UsernameStore,
    BarStore,
    RefusalStore,
    MarkStore {
  /** With a panel, or one that is still to be taken away. */
  withPanels(): MaybePromise<readonly Community[]>;
  /** With at least one rule. */
  communities(): MaybePromise<readonly Community[]>;
  /** Oldest first. */
  rulesOf(community: Community): MaybePromise<readonly Rule[]>;
  /** Adds it, or replaces the rule with its id. */
  putRule(rule: Rule): MaybePromise<void>;
  /**
   * Changes a rule's requirements, but neither its pause nor what it grants. Readings of its
   * members start over, but nothing is removed before the day they were told.
   * @param change applied to the current rule; may be called again
   * @returns the updated rule; undefined if it's gone
   */
  changeRule(
    community: Community,
    id: string,
    change: (rule: Rule) => Rule,
  ): MaybePromise<Rule | undefined>;
  /**
   * Leaves the rest of the rule alone, which others may have changed or removed meanwhile. If the
   * rule becomes active again, readings of its members start over, as with `changeRule`.
   * @param from only if that's why it's paused now, or if it's active: moderators may have decided meanwhile
   * @returns whether it was changed
   */
  pauseRule(
    community: Community,
    id: string,
    paused: PauseReason | undefined,
    from?: PauseReason | 'active',
  ): MaybePromise<boolean>;
  /** What rules grant, or members are barred from, has another name now. */
  renameGrant(community: Community, grant: string, name: string): MaybePromise<void>;
  /**
   * With its grants and planned changes, but not its audit rows. Other rules for the same role take
   * over its grants, and the day that members were told.
   * @returns the rule as it was then; undefined if it's gone already
   */
  removeRule(community: Community, id: string): MaybePromise<Rule | undefined>;
  settingsOf(community: Community): MaybePromise<CommunitySettings>;
  rulesAndSettingsOf(community: Community): MaybePromise<RulesAndSettings>;
  /**
   * Replaces the given fields; others may have changed the rest meanwhile. If wallets count in another way
   * then, readings of all members start over, as with `changeRule`.
   */
  putSettings(community: Community, changes: Partial<CommunitySettings>): MaybePromise<void>;

  /**
   * Records accounts as members; existing members stay unchanged.
   * @returns those who weren't known as members, or had been missing
   */
  noteMembers(community: Community, accounts: readonly string[]): MaybePromise<readonly string[]>;
  /**
   * Records that these members were missing from a complete list; being recorded as members ends
   * that.
   * @returns those missing from another list at that time or before
   */
  missMembers(
    community: Community,
    accounts: readonly string[],
    now: number,
    before: number,
  ): MaybePromise<readonly string[]>;
  /** Accounts with linked wallets that aren't known as members, by id. */
  linkedElsewhere(
    community: Community,
    after: string,
    limit: number,
  ): MaybePromise<readonly string[]>;
  /** With its grants under all rules; but protection outlives a departure. */
  forgetMember(community: Community, account: string): MaybePromise<void>;
  /** Records the language of a member, as the platform tells it. */
  noteLocale(community: Community, account: string, locale: string): MaybePromise<void>;
  /** Undefined if nothing has told it, or they have left since. */
  localeOf(community: Community, account: string): MaybePromise<string | undefined>;
  /** A protected account is recorded as a member. @returns whether it wasn't so before */
  protect(community: Community, account: string, isProtected: boolean): MaybePromise<boolean>;
  /** Those of these accounts from which nothing is removed, also if they have left. */
  protectedAmong(
    community: Community,
    accounts: readonly string[],
  ): MaybePromise<ReadonlySet<string>>;
  /** By id, after the given one. */
  membersAfter(
    community: Community,
    after: string,
    limit: number,
  ): MaybePromise<readonly KnownMember[]>;
  member(community: Community, account: string): MaybePromise<KnownMember | undefined>;
  countMembers(community: Community): MaybePromise<number>;
  /** Changes whenever members link or unlink a wallet, or somebody with wallets comes. Only while it announces. */
  linksIn(community: Community): MaybePromise<string>;
  /** A community got another id. Its audit rows keep the old one, as they never change; its log has them. */
  moveCommunity(from: Community, to: Community): MaybePromise<void>;
  /** Gated communities that know the account. */
  communitiesOf(platform: string, account: string): MaybePromise<readonly Community[]>;

  /** The grants of these accounts under all rules of the community, by account and rule. */
  grantsOf(community: Community, accounts: readonly string[]): MaybePromise<readonly Grant[]>;
  recordsOf(community: Community, accounts: readonly string[]): MaybePromise<MemberRecords>;
  /** Adds or replaces them; those of removed rules are dropped. */
  putGrants(community: Community, grants: readonly Grant[]): MaybePromise<void>;
  /**
   * Accounts on record as having something that any of these rules grants, from a rule or
   * otherwise, by id, after the given one. Some may have lost it since, or left.
   */
  holdersAfter(
    community: Community,
    rules: readonly string[],
    after: string,
    limit: number,
  ): MaybePromise<readonly string[]>;

  /** @returns false if another run of the community is active; held ones don't count */
  beginRun(run: Run): MaybePromise<boolean>;
  /** Activates a queued run. @returns false if it's no longer queued, or another one is active */
  startRun(run: string): MaybePromise<boolean>;
  /** Reactivates a held run. @returns false if it's no longer held, or another one is active */
  confirmRun(run: string, by: string): MaybePromise<boolean>;
  /** Asks an open run to stop before its next change. @returns false if it isn't open */
  stopRun(run: string, by: string): MaybePromise<boolean>;
  run(id: string): MaybePromise<Run | undefined>;
  /** Runs that undo this one, oldest first. */
  undosOf(run: Pick<Run, 'id' | 'community'>): MaybePromise<readonly Run[]>;
  /** Stores changes of begun runs. */
  planChanges(changes: readonly Change[]): MaybePromise<void>;
  /** A run's changes in order, with a given status. */
  changesOf(
    run: string,
    status: ChangeStatus | undefined,
    after: number,
    limit: number,
  ): MaybePromise<readonly Change[]>;
  /**
   * Records a change's state and reason, with its audit row and the new grant. The row's time is
   * when it was settled. One that is done ends what the platform refused for the member.
   * @param isRepeated whether the audit log has this state from an earlier attempt, and needs no row
   * @returns whether the change was still there. If its rule was removed or its account erased, it
   *   must not be begun; but if it's done, audit row and grant are recorded all the same.
   */
  markChange(
    change: Change,
    row: AuditRow,
    community: Community,
    grants: readonly Grant[],
    isRepeated?: boolean,
  ): MaybePromise<boolean>;
  /** Marks a run's planned changes as skipped, under one rule or all. */
  skipPlanned(run: string, rule: string | undefined, reason: string): MaybePromise<void>;
  tallyOf(run: string): MaybePromise<readonly ChangeTally[]>;
  /** Changes that are begun or unknown, of a community or one member, in any process. */
  unsettledOf(community: Community, account: string | undefined): MaybePromise<readonly Change[]>;
  /** Removals by passes since then without a confirmation, each member and role once. */
  takenSince(
    community: Community,
    since: number,
  ): MaybePromise<readonly { readonly grant: string; readonly account: string }[]>;
  /** Ending it `finished`, `stopped` or `undone` sets its end time, once. */
  endRun(run: string, status: Run['status'], counts: RunCounts, now: number): MaybePromise<void>;
  /**
   * Ends an undo after which nothing is left to undo: finishes it, marks its run as undone and
   * records that, all at once. So a process killed here leaves an undo that is resumed.
   */
  endUndo(undo: Run, row: AuditRow): MaybePromise<void>;
  /** Deletes a run that did nothing, with its changes; others stay. */
  forgetRun(run: string): MaybePromise<void>;
  /** Queued or active, oldest first: to resume after a restart. Held ones wait for a moderator. */
  openRuns(): MaybePromise<readonly Run[]>;
  /**
   * Checks of single members begun by then, of which a change is still planned or unknown. They're never
   * open: the process that began them may be gone.
   */
  leftChecks(begunBy: number, limit: number): MaybePromise<readonly LeftCheck[]>;
  /** Marks what checks of a member have planned as skipped: another check decides again. */
  skipChecks(community: Community, account: string, reason: string): MaybePromise<void>;
  /** Newest first: they wait for a moderator. */
  heldRuns(community: Community): MaybePromise<readonly Run[]>;
  /** Runs of all communities, oldest first: held and ended ones not yet reported; no undos. */
  unreportedRuns(limit: number): MaybePromise<readonly Run[]>;
  /** Records when runs were reported, once. */
  markRunsReported(runs: readonly string[], now: number): MaybePromise<void>;
  /** Newest first: in the order in which they began, a held run when it was confirmed. */
  runsOf(community: Community, limit: number): MaybePromise<readonly Run[]>;

  audit(rows: readonly AuditRow[]): MaybePromise<void>;
  /** Newest first. @param account only this member's rows */
  auditOf(
    community: Community,
    account: string | undefined,
    limit: number,
    offset: number,
  ): MaybePromise<readonly AuditRow[]>;
  /**
   * The same for people to read: without rows that only say a change was begun, once its outcome is
   * known.
   */
  logOf(
    community: Community,
    account: string | undefined,
    limit: number,
    offset: number,
  ): MaybePromise<readonly AuditRow[]>;
}
