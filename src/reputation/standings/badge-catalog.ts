import type { BadgeDefinition } from '#reputation/badge';

/** A badge's number in the store, and its definition. */
export type NumberedBadge = readonly [number: number, definition: BadgeDefinition];

/** All defined badges, ordered by id. */
export class BadgeCatalog {
  /** By number. */
  #definitions: (BadgeDefinition | undefined)[] = [];
  /** By number: its position when ordered by id. */
  #places: number[] = [];
  /** Numbers, in that order. */
  #ordered: number[] = [];

  /** A copy that can be changed while this one is in use. */
  copy(): BadgeCatalog {
    const copy = new BadgeCatalog();
    copy.#definitions = [...this.#definitions];
    copy.#places = [...this.#places];
    copy.#ordered = [...this.#ordered];
    return copy;
  }

  /**
   * Defines or redefines badges; of several with one number, the last counts. A badge keeps its id.
   * Each call renumbers all badges, so define many at once.
   */
  define(badges: readonly NumberedBadge[]): void {
    const added = badges.filter(([number]) => this.#places[number] === undefined);
    for (const [number, definition] of badges) this.#definitions[number] = definition;
    const numbers = [...new Set(added.map(([number]) => number))];
    if (numbers.length === 0) return;
    numbers.sort((a, b) => (this.#id(a) < this.#id(b) ? -1 : 1));
    const from = this.#insert(numbers);
    for (let place = from; place < this.#ordered.length; place++) {
      this.#places[this.#ordered[place] as number] = place;
    }
  }

  /** Number of defined badges. */
  get size(): number {
    return this.#ordered.length;
  }

  definition(number: number): BadgeDefinition | undefined {
    return this.#definitions[number];
  }

  /** All definitions, ordered by id. */
  *all(): Iterable<BadgeDefinition> {
    for (const number of this.#ordered) {
      const definition = this.#definitions[number];
      if (definition !== undefined) yield definition;
    }
  }

  /** By number; undefined for a badge that isn't defined. */
  get places(): readonly number[] {
    return this.#places;
  }

  /** Whether a badge with this id is defined. */
  knows(id: string): boolean {
    return this.numberOf(id) !== undefined;
  }

  /** The number of the badge with this id; undefined if none is defined. */
  numberOf(id: string): number | undefined {
    const number = this.#ordered[this.#placeFor(id)];
    return number !== undefined && this.#id(number) === id ? number : undefined;
  }

  /** @param added numbers not yet in the order, sorted by id. @returns the position of the first */
  #insert(added: readonly number[]): number {
    const before = this.#ordered;
    const first = this.#placeFor(this.#id(added[0] as number));
    const merged = before.slice(0, first);
    let next = first;
    for (const number of added) {
      const place = this.#placeFor(this.#id(number), next);
      while (next < place) merged.push(before[next++] as number);
      merged.push(number);
    }
    while (next < before.length) merged.push(before[next++] as number);
    this.#ordered = merged;
    return first;
  }

  /** The first position from `from` on whose badge doesn't sort before the id. */
  #placeFor(id: string, from = 0): number {
    let low = from;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#id(this.#ordered[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #id(number: number): string {
    return (this.#definitions[number] as BadgeDefinition).id;
  }
}
