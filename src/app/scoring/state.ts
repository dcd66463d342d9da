import type { ScoringState } from './engine.ts';

/** If there's neither a rules file nor live rules. */
export const NO_SCORING: ScoringState = { rules: undefined, sources: [], isUnscored: false };

const UNSCORED_ELSEWHERE =
  'another replica can\'t score new evidence; see its log. If the rules cause it, correct them and run "fathom rules apply"';

const SCORED_ELSEWHERE = 'scoring fails here, but another replica scores new evidence; see the log';

/** Before anything is known: existing evidence may be unscored. */
export const STARTING: ScoringState = {
  rules: { ok: true, detail: 'starting' },
  sources: [],
  isUnscored: true,
};

/** While the scoring thread is gone, so nothing is read either. @param detail for `/readyz` */
export function unscoredState({ sources }: ScoringState, detail: string): ScoringState {
  return {
    rules: { ok: false, detail },
    sources: sources.map((each) => ({
      ...each,
      state: 'waiting',
      pace: undefined,
      remainingSeconds: undefined,
    })),
    isUnscored: true,
  };
}

/** While another replica says that it scores. */
export function scoredElsewhere(state: ScoringState): ScoringState {
  const { rules, isUnscored } = state;
  if (!isUnscored || rules === undefined) return state;
  const own = rules.ok ? rules : { ok: false, detail: SCORED_ELSEWHERE };
  return { ...state, rules: own, isUnscored: false };
}

/** While another replica says that it can't score. What is wrong here is more important. */
export function unscoredElsewhere(state: ScoringState): ScoringState {
  const { rules } = state;
  if (rules === undefined) return state;
  const isOwn = state.isUnscored && !rules.ok;
  const detail = isOwn ? rules.detail : `${rules.detail}; ${UNSCORED_ELSEWHERE}`;
  return { ...state, rules: { ok: false, detail }, isUnscored: true };
}
