import { BoundedMap } from '#base';

/** Milliseconds during which a member who uses commands isn't checked again. */
const SEEN_FOR = 600_000;
const REMEMBERED = 10_000;

/** Members whom this process has checked, or heard of, a moment ago. */
export class RecentMembers {
  readonly #seen = new BoundedMap<string, number>(REMEMBERED);
  /** Members who have passed the membership screening, as far as events told this process. */
  readonly #screened = new BoundedMap<string, true>(REMEMBERED);
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Notes that a member is seen. @returns whether it's time to check them */
  isSeenAgain(key: string): boolean {
    const now = this.#monotonic();
    if (now - (this.#seen.get(key) ?? Number.NEGATIVE_INFINITY) < SEEN_FOR) return false;
    this.#seen.set(key, now);
    return true;
  }

  /** Their next command is a reason to check them. */
  mayChange(key: string): void {
    this.#seen.delete(key);
  }

  /** @returns whether it's news that they've passed the screening */
  isNewlyScreened(key: string, isPending: boolean): boolean {
    if (isPending) {
      this.#screened.delete(key);
      return false;
    }
    const isNews = !this.#screened.has(key);
    if (isNews) this.#screened.set(key, true);
    return isNews;
  }
}
