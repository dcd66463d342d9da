/** Reads rules files, and applies them. */

export { applyRules, requireRead, undoRules, unreadSources } from './apply.ts';
export {
  type Candidate,
  hasHash,
  keptCandidate,
  type RulesStatus,
  readCandidate,
  today,
} from './candidate.ts';
export {
  type AmountDraft,
  amountDrafts,
  amountInYaml,
  insertRules,
  type NewSource,
  sourcesIn,
  withAmounts,
} from './edit-text.ts';
export { settledSnapshot } from './evidence-snapshot.ts';
export { LiveRules, RULES_CLAIM } from './live-rules.ts';
export { parseYaml } from './parse-yaml.ts';
export { readRulesFile, readRulesText, rulesReader } from './read-file.ts';
export {
  exampleOf,
  FIRST_LOG,
  fillTemplate,
  flagOf,
  READ,
  type RuleTemplate,
  readParameterValue,
  readTemplate,
  ruleIdsOf,
  TEMPLATE_NAMES,
  type TemplateParameter,
  tokenAmountOf,
} from './templates/template.ts';
