import { BoundedMap } from '#base';

/**
 * Remembers the latest ids, so duplicates are handled once. Bounded: duplicates arrive soon or
 * never.
 */
export class SeenOnce<Id> {
  readonly #ids: BoundedMap<Id, true>;

  /** @param most ids to remember */
  constructor(most = 10_000) {
    this.#ids = new BoundedMap(most);
  }

  /** Whether the id is new; records it. */
  isNew(id: Id): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, true);
    return true;
  }
}
