import type { ScoringStore } from '#scoring';

/** Whether scores have caught up with what was read: reading reaches the end before scoring does. */
export class CaughtUp {
  readonly #scoring: Pick<ScoringStore, 'live' | 'arrivals'>;
  readonly #refresh: () => Promise<void>;
  #mayLack = false;

  /** @param refresh makes our own commits visible */
  constructor(scoring: Pick<ScoringStore, 'live' | 'arrivals'>, refresh: () => Promise<void>) {
    this.#scoring = scoring;
    this.#refresh = refresh;
  }

  /** @param isFar whether much is still to be read, after which all of it is to be scored once */
  async isPartial(isFar: boolean): Promise<boolean> {
    this.#mayLack = isFar || (this.#mayLack && !(await this.#isAllShown()));
    return this.#mayLack;
  }

  async #isAllShown(): Promise<boolean> {
    try {
      const live = await this.#scoring.live();
      if (live === undefined) return true;
      if ((await this.#scoring.arrivals(live.arrived, 1)).wallets.length > 0) return false;
      await this.#refresh();
      return true;
    } catch {
      // Unknown then. Those who score meet the same fault and say so.
      return false;
    }
  }
}
