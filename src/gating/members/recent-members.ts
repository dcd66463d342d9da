import { BoundedMap } from '#base';

/** Milliseconds during which a member who uses commands isn't checked again. */
const SEEN_FOR = 600_000;
const REMEMBERED = 10_000;

interface Seen {
  readonly at: number;
  readonly joinedAt: string | undefined;
}

/** Members whom this process has checked, or heard of, a moment ago. */
export class RecentMembers {
  readonly #seen = new BoundedMap<string, Seen>(REMEMBERED);
  /** Members who have passed the membership screening, as far as events told this process. */
  readonly #screened = new BoundedMap<string, true>(REMEMBERED);
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Notes that a member is seen.
   * @param joinedAt when they joined: whoever has left and come back since has lost their roles
   * @returns whether it's time to check them
   */
  isSeenAgain(key: string, joinedAt: string | undefined): boolean {
    const at = this.#monotonic();
    const last = this.#seen.get(key);
    if (last?.joinedAt === joinedAt && at - (last?.at ?? Number.NEGATIVE_INFINITY) < SEEN_FOR)
      return false;
    this.#seen.set(key, { at, joinedAt });
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
