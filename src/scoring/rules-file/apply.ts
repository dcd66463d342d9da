import { setImmediate as nextTurn } from 'node:timers/promises';
import { RetryableError, UserError } from '#base';
import type { SourceInput } from '#scoring/inputs/input';
import type { InputState } from '#scoring/inputs/store';
import {
  type BuildProgress,
  Evaluator,
  type EvaluatorOptions,
  requireNewMeaning,
} from '#scoring/score-versions/evaluator';
import type { ScoreVersion, StoredRules } from '#scoring/score-versions/score-version';
import type { ScoringStore } from '#scoring/score-versions/store';
import type { WalletParser } from '#wallet';
import { type Candidate, hasHash, keptCandidate, newScoreVersionOf, today } from './candidate.ts';

export interface ApplyOptions {
  readonly store: ScoringStore;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Wallets per commit; few if requests wait for the process meanwhile. */
  readonly runSteps?: number;
}

/** Computes score versions in this process, yielding to its other work. */
export function evaluatorOf({
  store,
  signal,
  ...options
}: Pick<ApplyOptions, 'store' | 'signal'> &
  Partial<Pick<EvaluatorOptions, 'runSteps' | 'arrivals' | 'isEnough' | 'today'>>): Evaluator {
  const yieldToEventLoop = async () => void (await nextTurn());
  const { runSteps, arrivals, isEnough } = options;
  return new Evaluator({
    ...{ store, today: options.today ?? today, signal, yieldToEventLoop },
    ...(runSteps !== undefined && { runSteps }),
    ...(arrivals !== undefined && { arrivals }),
    ...(isEnough !== undefined && { isEnough }),
  });
}

/**
 * Builds rules beside the live ones and makes them live in one step.
 * @returns the score version that's live now; undefined if these rules were live already
 * @throws UserError `wrong-usage` if the version is taken by other rules, or events aren't read yet
 * @throws RetryableError if someone else is applying rules
 */
export async function applyRules(
  candidate: Candidate,
  options: ApplyOptions,
): Promise<ScoreVersion | undefined> {
  const { store } = options;
  const live = await store.live();
  if (live !== undefined && hasHash(candidate, live.hash)) {
    await store.reword(live.number, candidate.kept);
    return undefined;
  }
  requireNewMeaning(candidate.kept, await store.scoreVersions());
  if (live !== undefined) requireRead(candidate, await store.inputs());
  return buildAndSwitch(candidate, live, options);
}

/**
 * Goes back to the rules that were live before the current ones, over all evidence there is now.
 * @throws UserError `wrong-usage` if there are none
 */
export async function undoRules(
  options: ApplyOptions,
  wallets: WalletParser,
): Promise<ScoreVersion> {
  const { store } = options;
  const live = await store.live();
  const before = live && (await beforeIt(store, live));
  const kept = before && (await store.rules(before.number));
  if (kept === undefined) {
    throw new UserError(
      'wrong-usage',
      live === undefined
        ? 'No rules are live, so there is nothing to undo.'
        : 'No rules were live before these, so there is nothing to go back to.',
    );
  }
  return buildAndSwitch(keptCandidate(kept, wallets), live, options);
}

/** The rules before a score version's, skipping undone ones: a second undo goes back further. */
async function beforeIt(
  store: ScoringStore,
  live: ScoreVersion,
): Promise<ScoreVersion | undefined> {
  const history: ScoreVersion[] = [];
  for (const scoreVersion of await store.scoreVersions()) {
    const again = history.findIndex(({ hash }) => hash === scoreVersion.hash);
    // Applied once more, or gone back to: everything after it was undone.
    if (again === -1) history.push(scoreVersion);
    else history.length = again + 1;
    if (scoreVersion.number === live.number) break;
  }
  return history.at(-2);
}

async function buildAndSwitch(
  candidate: Candidate,
  live: ScoreVersion | undefined,
  options: ApplyOptions,
): Promise<ScoreVersion> {
  const rules = newScoreVersionOf(candidate);
  const { store, onProgress } = options;
  const built = await evaluatorOf(options).build(candidate.evaluation, rules, onProgress);
  try {
    if (!(await store.switchTo(built.number, live?.number, rules.badges))) {
      throw new RetryableError('Other rules went live meanwhile. Look at them, and try again.');
    }
  } catch (error) {
    if (!(error instanceof RetryableError)) await store.discard(built.number);
    throw error;
  }
  return (await store.scoreVersion(built.number)) ?? built;
}

/** Why rules can't be applied; undefined if they can. */
export function applyRefusal(
  rules: StoredRules,
  known: readonly ScoreVersion[],
): string | undefined {
  try {
    requireNewMeaning(rules, known);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/**
 * Rejects rules that need events that aren't read yet: until then wallets would lose what they have.
 * @throws UserError `wrong-usage`
 */
export function requireRead(candidate: Candidate, states: readonly InputState[]): void {
  const unread = unreadSources(candidate, states);
  if (unread.length === 0) return;
  const { name, version } = candidate.kept;
  throw new UserError(
    'wrong-usage',
    `Version ${version} of ${name} needs events that aren't read yet (${unread.join('; ')}). A running service reads what its RULES file needs, in the background; "fathom sources" shows how far it is. Try again once it is done.`,
  );
}

/** Sources of which rules need events that aren't read yet, each with how far it is. */
export function unreadSources(
  { evaluation }: Candidate,
  states: readonly InputState[],
): readonly string[] {
  const unread: string[] = [];
  for (const [source, inputs] of evaluation.inputs) {
    const own = states.filter((each) => each.source === source);
    const end = Math.max(...own.map(({ position }) => position.height));
    const missing = inputs.filter((input) => !isRead(input, own, end));
    if (missing.length > 0) unread.push(`${source}: ${describe(missing, own, end)}`);
  }
  return unread;
}

function isRead(input: SourceInput, states: readonly InputState[], end: number): boolean {
  const state = states.find(({ name }) => name === input.name);
  if (state === undefined || state.position.height < end) return false;
  return input.kind !== 'hold' || state.verdict !== undefined;
}

function describe(
  missing: readonly SourceInput[],
  states: readonly InputState[],
  end: number,
): string {
  const heights = missing.map(
    (input) => states.find(({ name }) => name === input.name)?.position.height,
  );
  if (heights.includes(undefined)) return 'not begun';
  const lowest = Math.min(...heights.filter((each) => each !== undefined));
  return lowest < end
    ? `at ${lowest} of ${end}`
    : 'balances are still to be compared with the chain';
}
