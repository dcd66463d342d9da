import type { ScoringState } from './engine.ts';

/** If there's neither a rules file nor live rules. */
export const NO_SCORING: ScoringState = { rules: undefined, sources: [], isUnscored: false };

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
