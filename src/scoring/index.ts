/**
 * Turns evidence into points by rules, version by version, so that anyone can work it out again.
 */

export {
  baseUnits,
  DECIMALS_MAX,
  fitSymbol,
  isSameSymbol,
  parseAmount,
  TokenAmount,
} from './amount.ts';
export { FIRST_NOBODY, NOBODY } from './compile/nobody.ts';
export { describeRest, describeRule, rewardOf, titleIn } from './describe.ts';
export { ScoreDigest } from './digest.ts';
export { faultLine } from './faults.ts';
export { compileWhere, type EvidenceEvent, pointsOf } from './fold/event.ts';
export { activityIn, activityTypeIn, describeEvent, withShortIds } from './fold/ledger-text.ts';
export {
  doubtfulRules,
  HELD_PLACE,
  inputsBySource,
  inputsOf,
  isAskedDaily,
  pathPlace,
  type RuleTrace,
  type SourceInput,
  START_PLACE,
  sortable,
  spaceOf,
} from './inputs/input.ts';
export type {
  EvidenceStore,
  EvidenceStretch,
  InputState,
  SourceEvent,
  SourcePosition,
  WalletBalance,
} from './inputs/store.ts';
export {
  type BalanceChange,
  type Holding,
  IMPORT,
  type RuleSet,
  type ScoringRule,
  type Source,
  type Start,
  type WalletPick,
} from './model.ts';
export {
  isLargeLoss,
  type Move,
  Ranks,
  Rehearsal,
  type RehearsalResult,
  tooMany,
} from './rehearsal/rehearsal.ts';
export { type IdleRule, type Misread, RuleUse } from './rehearsal/rule-use.ts';
export { differsFromChain, MATCHES_CHAIN, readEnds } from './score-versions/ends.ts';
export { requireNewMeaning } from './score-versions/evaluator.ts';
export type {
  NewScoreVersion,
  RuleSum,
  ScoreVersion,
  ScoreVersionProgress,
  ScoreVersionRow,
  StoredEvent,
  StoredRules,
  WalletEvents,
  WalletScore,
} from './score-versions/score-version.ts';
export type {
  ImportedEvidence,
  ReadRules,
  RulesTexts,
  ScoringStore,
  WalletSelection,
  WalletStanding,
} from './score-versions/store.ts';
export { type Argument, argumentNames, parseSolidityEvent, type Signature } from './signature.ts';
export {
  CHAIN_FORM,
  heightText,
  NODES_FIELDS,
  SOURCE_KINDS,
  sourceKindOf,
} from './source-kind.ts';
export { type LookAlikeOptions, LookAlikeSearch, type LookAlikes } from './sybil/look-alikes.ts';
export { childOf, type RulesNode } from './tree.ts';
