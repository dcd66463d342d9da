import { setImmediate as nextTurn } from 'node:timers/promises';
import { RetryableError, UserError } from '#base';
import type { Edition } from '#scoring/editions/edition';
import {
  type BuildProgress,
  Evaluator,
  type EvaluatorOptions,
  requireNewMeaning,
} from '#scoring/editions/evaluator';
import type { ScoringStore } from '#scoring/editions/store';
import type { WalletParser } from '#wallet';
import { type Candidate, isSameFile, keptCandidate, newEditionOf, today } from './candidate.ts';
import { requireRead } from './require-read.ts';

export interface ApplyOptions {
  readonly store: ScoringStore;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Wallets per commit; few if requests wait for the process meanwhile. */
  readonly atOnce?: number;
}

/** Computes editions in this process, yielding to its other work. */
export function evaluatorOf({
  store,
  signal,
  ...options
}: Pick<ApplyOptions, 'store' | 'signal'> &
  Partial<Pick<EvaluatorOptions, 'atOnce' | 'arrivals' | 'isEnough' | 'today'>>): Evaluator {
  const breathe = async () => void (await nextTurn());
  const { atOnce, arrivals, isEnough } = options;
  return new Evaluator({
    ...{ store, today: options.today ?? today, signal, breathe },
    ...(atOnce !== undefined && { atOnce }),
    ...(arrivals !== undefined && { arrivals }),
    ...(isEnough !== undefined && { isEnough }),
  });
}

/**
 * Builds rules beside the live ones and makes them live in one step.
 * @returns the edition that's live now; undefined if these rules were live already
 * @throws UserError `wrong-usage` if the version is taken by other rules, or events aren't read yet
 * @throws RetryableError if someone else is applying rules
 */
export async function applyRules(
  candidate: Candidate,
  options: ApplyOptions,
): Promise<Edition | undefined> {
  const { store } = options;
  const live = await store.live();
  if (live !== undefined && isSameFile(candidate, live.hash)) {
    await store.reword(live.number, candidate.kept);
    return undefined;
  }
  requireNewMeaning(candidate.kept, await store.editions());
  if (live !== undefined) requireRead(candidate, await store.inputs());
  return buildAndSwitch(candidate, live, options);
}

/**
 * Goes back to the rules that were live before the current ones, over all evidence there is now.
 * @throws UserError `wrong-usage` if there are none
 */
export async function undoRules(options: ApplyOptions, wallets: WalletParser): Promise<Edition> {
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

/** The rules before an edition's, skipping undone ones: a second undo goes back further. */
async function beforeIt(store: ScoringStore, live: Edition): Promise<Edition | undefined> {
  const history: Edition[] = [];
  for (const edition of await store.editions()) {
    const again = history.findIndex(({ hash }) => hash === edition.hash);
    // Applied once more, or gone back to: everything after it was undone.
    if (again === -1) history.push(edition);
    else history.length = again + 1;
    if (edition.number === live.number) break;
  }
  return history.at(-2);
}

async function buildAndSwitch(
  candidate: Candidate,
  live: Edition | undefined,
  options: ApplyOptions,
): Promise<Edition> {
  const rules = newEditionOf(candidate);
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
  return (await store.edition(built.number)) ?? built;
}
