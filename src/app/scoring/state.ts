import type { ScoringState } from './engine.ts';

/** Where there are neither rules nor a file. */
export const NO_SCORING: ScoringState = { rules: undefined, sources: [], isUnscored: false };

/** Before anything is known: what evidence there is may not be scored. */
export const STARTING: ScoringState = {
  rules: { ok: true, detail: 'starting' },
  sources: [],
  isUnscored: true,
};

/** When what scores has gone: nothing is read either. @param detail for `/readyz` */
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
