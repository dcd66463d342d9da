import { BoundedMap, type Logger, messageOf, RetryableError } from '#base';
import { type Account, accountKey, type Card, noteCard } from '#command';
import { textsFor } from '#command/texts';
import { OUTCOME_KEPT_SECONDS, type RequestKey } from './proving/proof-retries.ts';
import type { LinkStore } from './store.ts';

const MOST_ACCOUNTS = 10_000;

/** How it went: the wallet is linked, or `/link` says the rest. */
export type LateOutcome = 'linked' | 'other';

export interface LateOutcomesOptions {
  readonly store: Pick<LinkStore, 'findRequest'>;
  /** Writes to an account in private. @returns false where the platform doesn't let us @throws RetryableError */
  readonly tell: (account: Account, card: Card) => Promise<boolean>;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Tells people how a signature went that could be checked only after it had been answered: at once where the platform
 * lets us write first, elsewhere with the next private answer. Only the process that retried it knows.
 */
export class LateOutcomes {
  readonly #options: LateOutcomesOptions;
  readonly #locales = new BoundedMap<string, string>(MOST_ACCOUNTS);
  readonly #untold = new BoundedMap<string, { readonly is: LateOutcome; readonly until: number }>(
    MOST_ACCOUNTS,
  );

  constructor(options: LateOutcomesOptions) {
    this.#options = options;
  }

  /** The account uses the bot in this language. */
  heard(account: Account, locale: string): void {
    this.#locales.set(accountKey(account), locale);
  }

  /** A retry has settled it, unless its author has already asked how it went. */
  async settled({ account, way }: RequestKey): Promise<void> {
    const { store, tell, now, log } = this.#options;
    const { settled, checked } = (await store.findRequest({ account, way }, now())) ?? {};
    if (settled === undefined && checked === undefined) return;
    const linked = settled !== undefined && 'outcome' in settled ? settled : undefined;
    const is = linked === undefined || linked.outcome.kind === 'claimed' ? 'other' : 'linked';
    const key = accountKey(account);
    const { link } = textsFor(this.#locales.get(key));
    try {
      if (await tell(account, noteCard('plain', link.lateTitle, link.late[is]))) return;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.debug({ error: messageOf(error) }, 'could not say how a signature went');
    }
    this.#untold.set(key, { is, until: now() + OUTCOME_KEPT_SECONDS });
  }

  /** What the account hasn't been told, once. */
  take(account: Account): LateOutcome | undefined {
    const key = accountKey(account);
    const untold = this.#untold.get(key);
    if (untold === undefined) return undefined;
    this.#untold.delete(key);
    return untold.until > this.#options.now() ? untold.is : undefined;
  }
}
