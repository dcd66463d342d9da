/** What new rules for scores would do to roles, before they apply. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TierThresholds } from '#reputation';
import {
  type IdleRule,
  type Misread,
  type Move,
  Rehearsal,
  type RehearsalResult,
  RuleUse,
  type ScoreVersion,
  type ScoringStore,
} from '#scoring';
import { type Candidate, requireRead, today, unreadSources } from '#scoring/rules-file';
import { type RoleMoves, RoleRehearsal, type RoleStore } from './rehearsed-roles.ts';

export type { RoleMoves } from './rehearsed-roles.ts';

/** Wallet numbers per page. */
const AT_ONCE = 500;

export interface RehearseOptions {
  readonly store: ScoringStore;
  /** The rules and members of communities. */
  readonly gating: RoleStore;
  readonly thresholds: TierThresholds;
  readonly signal: AbortSignal;
  /** Called with every wallet that changes, by number. */
  readonly onMove?: (move: Move) => void;
  readonly onProgress?: (progress: { readonly done: number; readonly all: number }) => void;
}

/** What other rules would change, for wallets and for members. */
export interface RehearsedRules extends RehearsalResult {
  readonly roles: readonly RoleMoves[];
  /** Sources whose events are missing, each with how far it is; only where no rules are live yet. */
  readonly unread: readonly string[];
  /** Rules that give nothing for what has been read. */
  readonly idle: readonly IdleRule[];
  /** Arguments of imported events that rules take for integers, where some are none. */
  readonly misread: readonly Misread[];
  /** The names of imported events. */
  readonly imported: readonly string[];
}

/**
 * The day as of which rules are rehearsed: that of the live scores, unless they were made by a clock that was
 * ahead, as applying the rules would take them back.
 */
export function rehearsalDay(live: Pick<ScoreVersion, 'asOf'> | undefined): number {
  return Math.min(live?.asOf ?? today(), today());
}

/**
 * Computes all scores by other rules beside the live ones, and stores nothing.
 * @throws UserError `wrong-usage` for events that aren't read yet; RetryableError; the signal's
 *   reason
 */
export async function rehearse(
  candidate: Candidate,
  { store, gating, thresholds, signal, onMove, onProgress }: RehearseOptions,
): Promise<RehearsedRules> {
  const roles = await RoleRehearsal.begin(gating, thresholds);
  const rehearsal = new Rehearsal(thresholds, roles.isNeeded ? roles : undefined);
  const live = await store.live();
  const asOf = rehearsalDay(live);
  const { evaluation } = candidate;
  const states = await store.inputs();
  if (live !== undefined) requireRead(candidate, states);
  const ends = evaluation.ends(states);
  const use = new RuleUse(evaluation.rules, asOf);
  const all = await store.highestNumber();
  for (let from = 0; from < all; from += AT_ONCE) {
    signal.throwIfAborted();
    const to = from + AT_ONCE;
    const [standings, events] = await Promise.all([
      store.standings(from, to),
      store.evidence({ from, to }),
    ]);
    const byNumber = new Map(events.map((each) => [each.number, each]));
    for (const standing of standings) {
      const own = byNumber.get(standing.number);
      const figures = own && evaluation.figures(own, asOf, ends);
      if (figures !== undefined) use.add(own?.events ?? [], figures);
      const move = rehearsal.add(standing, figures);
      if (move !== undefined) onMove?.(move);
    }
    onProgress?.({ done: Math.min(all, to), all });
    await nextTurn();
  }
  const unread = unreadSources(candidate, states);
  const { idle, misread, imported } = use;
  return { ...rehearsal.result, roles: await roles.result(), unread, idle, misread, imported };
}
