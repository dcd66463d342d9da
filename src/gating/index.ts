/** Roles and entry by reputation: rules, decisions, runs, undo, bars, reports. */

export { Announcements } from './announce/announcements.ts';
export { Announcer, type DrawRankCard } from './announce/announcer.ts';
export type { Announced } from './announce/announcing.ts';
export type { DigestState } from './announce/digest.ts';
export { Digester } from './announce/digester.ts';
export {
  type AnnouncedMembers,
  type AnnounceFailure,
  type AnnounceSettings,
  type AnnounceState,
  isSameMark,
  type LastObservation,
  leftMark,
  type Mark,
  type MarkStore,
  withAnnouncedBadges,
} from './announce/mark.ts';
export type { AnnouncedAmong } from './announce/members.ts';
export {
  type BoardMeasure,
  type MemberBoardPage,
  MemberBoards,
  type MemberBoardsOptions,
  type MemberRow,
} from './boards/member-boards.ts';
export { CallerAccess, CallerBoard, communityOf, type Moderation, moderate } from './caller.ts';
export type {
  Caution,
  ChangeOutcome,
  CommunityAdapter,
  EditOutcome,
  Inspection,
  Member,
  NamedRole,
  Posting,
  PostOutcome,
  ReportPlace,
  ReportRefusal,
  RoleCreation,
  RoleOutcome,
  RoleRefusal,
  RuleBlocker,
} from './community-adapter.ts';
export {
  countWallets,
  knowsSums,
  WALLET_MODES,
  type WalletMode,
} from './decide/counted-wallets.ts';
export { dueOf, type Grant } from './decide/grant.ts';
export type { LadderMove } from './decide/ladder.ts';
export { isOfRule, languageName, reasonSpans, reasonText, verdictText } from './decide/reason.ts';
export type { Lacking, Shortfall } from './decide/shortfall.ts';
export {
  type MemberStandings,
  ranksOf,
  readStandings,
  type Standing,
  type UnknownReason,
} from './decide/verdict.ts';
export type { GateEvents } from './events.ts';
export { Gating } from './gating.ts';
export { communityTexts, LANGUAGE_CHOICES } from './language.ts';
export type { Access, AccessState } from './members/access.ts';
export type { NamedBar } from './members/bars/barring.ts';
export type { HandChange, HandEntry, HandLog } from './members/bars/hand-log.ts';
export type {
  BarredGrant,
  BarStore,
  MemberBar,
  MemberRefusal,
  RefusalStore,
} from './members/bars/member-bars.ts';
export { admittedCard, refusedCard } from './members/entry/entry.ts';
export { warningCard } from './members/warnings.ts';
export { GateWatch } from './members/watch.ts';
export type { PanelPost, PanelSettings } from './panel/panel-post.ts';
export type { Panel } from './panel/panels.ts';
export { NotSent, UnknownAccount, UnreachableCommunity } from './platform.ts';
export type { GatingRecord } from './reports/account-record.ts';
export {
  type AuditRow,
  auditRow,
  type Change,
  type ChangeTally,
  isOpen,
  NO_COUNTS,
  type Run,
  type RunCounts,
} from './reports/audit.ts';
export type { PreviewCounts } from './reports/preview.ts';
export {
  acceptActions,
  blockedBlocks,
  doubtBlock,
  postFailureText,
  problemBlocks,
  runReport,
} from './reports/report.ts';
export {
  type AskedRequirements,
  REQUIREMENTS,
  type Requirement,
  readRequirements,
} from './requirements/index.ts';
export type { UpperBound } from './requirements/kind.ts';
export { tierNamed, tierWords } from './requirements/tier.ts';
export type { RuleProblem, RuleResult, RunResult } from './result.ts';
export { needsOf, ruleSettingsText, shortfallText } from './rules/describe.ts';
export { checkPlausible, type Plausibility } from './rules/plausible.ts';
export {
  isRuleRefusal,
  isUnknownRefusal,
  type PlatformRefusal,
  type RuleRefusal,
  type UnknownRefusal,
  unknownCodeIn,
  unknownRefusal,
} from './rules/refusals.ts';
export {
  type Community,
  DEFAULT_GRACE,
  ENTRY,
  isImpossible,
  type Rule,
  type RuleDraft,
  type RuleEdit,
} from './rules/rule.ts';
export type { Finding } from './runs/planner.ts';
export { isNothing, type PlannedTier, type SetupPlaces, type SetupPlan } from './setup/plan.ts';
export type { SetupRecord, SetupResult, SetupStep } from './setup/record.ts';

export type {
  CommunitySettings,
  GateStore,
  JoinRequest,
  JoinRequestStore,
  KnownMember,
  MemberScanProgress,
  SourceMemory,
  UsernameStore,
} from './store.ts';
export { canBeTriedAgain, type UndoQuestion } from './undo/undo-target.ts';
export type { UndoResult } from './undo/undoing.ts';
