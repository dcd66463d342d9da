import type { ScoreVersion } from '#scoring/score-versions/score-version';
import type { ScoringStore } from '#scoring/score-versions/store';
import { type Candidate, hasHash } from './candidate.ts';

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
