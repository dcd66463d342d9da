import { BoundedMap } from '#base';
import { type Account, accountKey } from '#command';
import type { Linked } from './linking.ts';

/** Seconds for which the same, once more, gets the same answer. */
const KEPT_SECONDS = 600;
const MOST_ACCOUNTS = 1_000;

/**
 * What accounts have just handed in: a code that is sent twice, by a double tap or as its answer was late, isn't
 * somebody else's. Only this process knows; to another one, the second is a code that nobody expects.
 */
export class JustLinked {
  readonly #now: () => number;
  readonly #kept = new BoundedMap<string, Kept>(MOST_ACCOUNTS);

  /** @param now seconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  keep(account: Account, given: string, linked: Linked): void {
    this.#kept.set(accountKey(account), { given, linked, until: this.#now() + KEPT_SECONDS });
  }

  /** @returns undefined unless the account has handed in the very same */
  find(account: Account, given: string): Linked | undefined {
    const kept = this.#kept.get(accountKey(account));
    return kept?.given === given && kept.until > this.#now() ? kept.linked : undefined;
  }

  forget(account: Account): void {
    this.#kept.delete(accountKey(account));
  }
}

interface Kept {
  readonly given: string;
  readonly linked: Linked;
  readonly until: number;
}
