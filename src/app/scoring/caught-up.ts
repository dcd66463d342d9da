import { RetryableError } from '#core/errors';
import type { ScoringStore } from '#core/scoring/editions/store';

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
    if (isFar) this.#mayLack = true;
    else if (this.#mayLack && (await this.#isAllScored())) {
      await this.#refresh();
      this.#mayLack = false;
    }
    return this.#mayLack;
  }

  async #isAllScored(): Promise<boolean> {
    try {
      const live = await this.#scoring.live();
      if (live === undefined) return true;
      return (await this.#scoring.arrivals(live.arrived, 1)).wallets.length === 0;
    } catch (error) {
      if (error instanceof RetryableError) return false;
      throw error;
    }
  }
}
