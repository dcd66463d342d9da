/** Reads rules files, and applies them. */

export { type AmountDraft, amountDrafts, sourcesIn, withAmounts } from './amount-drafts.ts';
export { applyRules, undoRules } from './apply.ts';
export { type Candidate, isSameFile, keptCandidate, readCandidate, today } from './candidate.ts';
export { settledSnapshot } from './evidence-snapshot.ts';
export { LiveRules, RULES_CLAIM } from './live-rules.ts';
export { readRulesFile, rulesReader } from './read-file.ts';
export { requireRead } from './require-read.ts';
export type { RulesStatus } from './rules-status.ts';
