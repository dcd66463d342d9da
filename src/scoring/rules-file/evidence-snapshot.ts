import { RetryableError, UserError } from '#base';
import { sleep } from '#base/waiting';
import type { EvidenceSnapshot } from '#scoring/proof/snapshot';
import { endsText, type SourceEnds } from '#scoring/score-versions/ends';
import type { ScoringStore } from '#scoring/score-versions/store';
import type { WalletParser } from '#wallet';
import { type Candidate, keptCandidate, today } from './candidate.ts';

/** How often, and how many times, to check whether all evidence is scored. */
const POLL_MS = 500;
const POLLS_MOST = 120;
/** How many times to check whether the daily step was made. */
const DAY_POLLS_MOST = 4;

/** A moment at which the live scores include all evidence. */
export interface SettledSnapshot {
  readonly snapshot: EvidenceSnapshot;
  readonly candidate: Candidate;
  readonly asOf: number;
  readonly ends: SourceEnds;
}

export interface SettleOptions {
  readonly store: ScoringStore;
  readonly wallets: WalletParser;
  readonly signal: AbortSignal;
  /** Called once if we have to wait for the evaluator. */
  readonly onWait: () => void;
  readonly pollMs?: number;
}

/**
 * Waits for a moment at which all existing evidence is scored, and opens a view of it.
 * @throws UserError `wrong-usage` if no rules are live; RetryableError if no such moment comes
 */
export async function settledSnapshot(options: SettleOptions): Promise<SettledSnapshot> {
  const { store, signal, onWait, pollMs = POLL_MS } = options;
  let known: LiveCandidate | undefined;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    // A long list takes longer to read than a transaction may be idle.
    known = await liveCandidate(options, known);
    const snapshot = await store.openSnapshot();
    const { live, inputs, pending } = snapshot;
    const { candidate } = known;
    const ends = candidate.evaluation.ends(inputs);
    const isRead = pending === 0 && endsText(ends) === live?.ends;
    // If nothing evaluates the rules, yesterday's scores will do: each wallet is recomputed anyway.
    const isSettled = isRead && (live.asOf >= today() || attempt >= DAY_POLLS_MOST);
    // Unless other rules went live in between.
    if (isSettled && live.number === known.number) {
      return { snapshot, candidate, asOf: live.asOf, ends };
    }
    await snapshot.close();
    if (attempt >= POLLS_MOST) {
      throw new RetryableError(
        `The live rules haven't scored the evidence of ${pending} wallets yet. Start Fathom if it isn't running, wait until imports are over, and try again.`,
      );
    }
    if (attempt === 1) onWait();
    await sleep(pollMs, signal);
  }
}

interface LiveCandidate {
  readonly number: number;
  readonly candidate: Candidate;
}

/**
 * The live rules; read again only if they aren't those that are known.
 * @throws UserError `wrong-usage` if none are live
 */
async function liveCandidate(
  { store, wallets }: SettleOptions,
  known: LiveCandidate | undefined,
): Promise<LiveCandidate> {
  const live = await store.live();
  if (live === undefined) {
    throw new UserError('wrong-usage', 'No rules are live, so there is no evidence to export.');
  }
  if (known?.number === live.number) return known;
  const kept = await store.rules(live.number);
  if (kept === undefined)
    throw new Error(`the rules of score version ${live.number} are not there`);
  return { number: live.number, candidate: keptCandidate(kept, wallets) };
}
