import { hash } from 'node:crypto';
import { dayOf, UserError, wallSeconds } from '#base';
import { faultLine } from '#scoring/faults';
import type { RuleSet } from '#scoring/model';
import { Evaluation } from '#scoring/score-versions/evaluation';
import type {
  NewScoreVersion,
  ScoreVersion,
  StoredRules,
} from '#scoring/score-versions/score-version';
import type { ScoringStore } from '#scoring/score-versions/store';
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

/** Keeps the stored text of the live rules that of their file: another title is shown without another score version. */
export class StoredWording {
  readonly #store: Pick<ScoringStore, 'reword'>;
  /** What was stored last. */
  #kept: string | undefined;

  constructor(store: Pick<ScoringStore, 'reword'>) {
    this.#store = store;
  }

  /** @param candidate the file as it is now; one of other rules changes nothing */
  async keep(candidate: Candidate | undefined, live: ScoreVersion): Promise<void> {
    if (candidate === undefined || !hasHash(candidate, live.hash)) return;
    const { text } = candidate.kept;
    const wording = `${live.number} ${text}`;
    if (wording === this.#kept) return;
    await this.#store.reword(live.number, candidate.kept);
    this.#kept = wording;
  }
}

const UNSCORED =
  'new evidence isn\'t being scored; see the log. If the rules cause it, correct them and run "fathom rules apply FILE"';

/** The state of the rules, for `/readyz`. */
export interface RulesStatus {
  readonly ok: boolean;
  readonly detail: string;
}

/** How the file compares with the live rules. */
export type FileState =
  | { readonly kind: 'none' | 'live' }
  | { readonly kind: 'broken' }
  | {
      readonly kind: 'candidate';
      readonly version: number;
      /** Why it can't be applied. */
      readonly refusal: string | undefined;
    };

/** Undefined if there are neither rules nor a file. */
export function rulesStatus(state: {
  readonly live: ScoreVersion | undefined;
  readonly file: FileState;
  readonly isUnscored: boolean;
  /** Whether there is a file that hasn't been read yet. */
  readonly isToBeRead: boolean;
}): RulesStatus | undefined {
  const { live, file, isUnscored, isToBeRead } = state;
  const words = live === undefined ? 'none are live' : `${live.name} version ${live.version}`;
  if (isUnscored) return { ok: false, detail: `${words}; ${UNSCORED}` };
  if (file.kind === 'broken') {
    return { ok: false, detail: `${words}; the file can't be used, and the log says why` };
  }
  if (live === undefined && file.kind === 'none') {
    return isToBeRead ? { ok: true, detail: 'starting' } : undefined;
  }
  if (file.kind !== 'candidate' || live === undefined) return { ok: true, detail: words };
  const said =
    file.refusal === undefined
      ? `has version ${file.version}, which waits to be applied`
      : `can't be applied: ${file.refusal}`;
  return { ok: true, detail: `${words}; the file ${said}` };
}
