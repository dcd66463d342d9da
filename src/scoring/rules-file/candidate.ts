import { hash } from 'node:crypto';
import { dayOf, UserError, wallSeconds } from '#base';
import { faultLine } from '#scoring/faults';
import type { RuleSet } from '#scoring/model';
import { Evaluation } from '#scoring/score-versions/evaluation';
import type { NewScoreVersion, StoredRules } from '#scoring/score-versions/score-version';
import type { WalletParser } from '#wallet';
import { keptRulesSteps, type RulesFile, readRulesFile, rulesFileSteps } from './read-file.ts';
import { runSteps, type Steps } from './steps.ts';

/** Validated rules, ready to be folded over the evidence. */
export interface Candidate {
  readonly evaluation: Evaluation;
  readonly kept: StoredRules;
  /** Hashes that earlier versions gave the same file: if it's live under one of these, it means what it did. */
  readonly formerHashes?: readonly string[];
}

/**
 * Reads a rules file to apply.
 * @throws UserError `wrong-usage` if it can't be read, isn't valid, or needs something missing
 */
export function readCandidate(path: string, wallets: WalletParser): Candidate {
  return candidateOf(readRulesFile(path, wallets), path);
}

/**
 * The same in small steps.
 * @param beforeRead called with the path of the file, and of each list it names, before it's read
 */
export function* candidateSteps(
  path: string,
  wallets: WalletParser,
  beforeRead: (path: string) => void,
): Steps<Candidate> {
  return candidateOf(yield* rulesFileSteps(path, wallets, beforeRead), path);
}

/** @throws UserError `wrong-usage` if this version can't read what was stored */
export function keptCandidate(kept: StoredRules, wallets: WalletParser): Candidate {
  return runSteps(keptCandidateSteps(kept, wallets));
}

/** The same in small steps. */
export function* keptCandidateSteps(kept: StoredRules, wallets: WalletParser): Steps<Candidate> {
  const reading = yield* keptRulesSteps(kept, wallets);
  return candidateOf({ ...kept, reading }, `${kept.name} ${kept.version}`);
}

/** Their rules alone; undefined if this version can't read them any more. */
export function* ruleSetSteps(
  kept: StoredRules,
  wallets: WalletParser,
): Steps<RuleSet | undefined> {
  try {
    return (yield* keptCandidateSteps(kept, wallets)).evaluation.rules;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Whether rules with this hash were made from a candidate's file. */
export function hasHash({ kept, formerHashes = [] }: Candidate, hash: string | undefined): boolean {
  return hash !== undefined && [kept.hash, ...formerHashes].includes(hash);
}

/** The live rules if they were made from the candidate's file, with its text; otherwise the candidate. */
export function liveOr(candidate: Candidate, live: Candidate | undefined): Candidate {
  if (live === undefined || !hasHash(candidate, live.kept.hash)) return candidate;
  const { text, lists } = candidate.kept;
  return text === live.kept.text ? live : { ...live, kept: { ...live.kept, text, lists } };
}

/** The initial values of their score version. */
export function newScoreVersionOf({ evaluation, kept }: Candidate): NewScoreVersion {
  const badges = evaluation.rules.badges.map(({ definition }) => definition);
  return { ...kept, asOf: today(), badges };
}

/** The last midnight, as the day that it begins. */
export function today(): number {
  return dayOf(wallSeconds());
}

function candidateOf({ reading, text, lists }: RulesFile, path: string): Candidate {
  if (!reading.isValid) {
    const [first] = reading.faults;
    const more = reading.faults.length - 1;
    const rest = more > 0 ? ` (and ${more} more)` : '';
    throw new UserError(
      'wrong-usage',
      `${path} isn't valid: ${first === undefined ? '' : faultLine(first)}${rest} "fathom rules check" lists every fault.`,
    );
  }
  const { rules, hash: sum, formerHashes } = reading;
  return {
    evaluation: new Evaluation(rules, (each) => hash('sha256', each)),
    kept: { name: rules.name, version: rules.version, hash: sum, text, lists },
    formerHashes,
  };
}
