import { Latest } from './latest.ts';

/**
 * Remembers the latest ids, so that what is delivered twice is handled once. Bounded: a delivery is
 * repeated soon or never.
 */
export class SeenOnce<Id> {
  readonly #ids: Latest<Id, true>;

  /** @param most ids to remember */
  constructor(most = 10_000) {
    this.#ids = new Latest(most);
  }

  /** Whether the id is new. From now on it isn't. */
  isNew(id: Id): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, true);
    return true;
  }
}
