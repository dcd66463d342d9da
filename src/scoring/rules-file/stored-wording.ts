import type { Edition } from '#scoring/editions/edition';
import type { ScoringStore } from '#scoring/editions/store';
import { type Candidate, isSameFile } from './candidate.ts';

/** Keeps the stored text of the live rules that of their file: another title is shown without another edition. */
export class StoredWording {
  readonly #store: Pick<ScoringStore, 'reword'>;
  /** What was stored last. */
  #kept: string | undefined;

  constructor(store: Pick<ScoringStore, 'reword'>) {
    this.#store = store;
  }

  /** @param candidate the file as it is now; one of other rules changes nothing */
  async keep(candidate: Candidate | undefined, live: Edition): Promise<void> {
    if (candidate === undefined || !isSameFile(candidate, live.hash)) return;
    const { text } = candidate.kept;
    const wording = `${live.number} ${text}`;
    if (wording === this.#kept) return;
    await this.#store.reword(live.number, candidate.kept);
    this.#kept = wording;
  }
}
