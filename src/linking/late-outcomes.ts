import { BoundedMap, type Logger, messageOf, RetryableError, UserError } from '#base';
import { type Account, accountKey, type Card, noteCard } from '#command';
import { type Texts, textsFor } from '#command/texts';
import type { LinkRequest, RequestWay } from './challenge/requests.ts';
import {
  MOST_RETRIED,
  type ProofRetries,
  type RequestKey,
  settledRefusal,
} from './proving/proof-retries.ts';
import type { LinkStore } from './store.ts';

const MOST_ACCOUNTS = 10_000;
/** Later than the process that has a retry to do does it, if it lives. */
const OVERDUE_SECONDS = 30;

/**
 * How it went: the wallet is linked, what knows it hasn't answered, its owners didn't approve, it was refused, or `/link`
 * says the rest.
 */
export type LateOutcome = keyof Texts['link']['late'] | UserError;

/** Refusals that aren't about the signature: their times are shown as the chat shows times. */
const OF_OTHERS: readonly string[] = ['wallet-claimed', 'wallet-held', 'wallet-kept'];

export interface LateOutcomesOptions {
  readonly store: Pick<LinkStore, 'findRequest' | 'changeRequest'>;
  /** Writes to an account in private. @returns false where the platform doesn't let us @throws RetryableError */
  readonly notify: (account: Account, card: Card) => Promise<boolean>;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

interface Untold {
  readonly is: LateOutcome;
  readonly way: RequestWay;
}

/**
 * Tells people how a signature went that could be checked only after it had been answered: at once where the platform
 * lets us write first, elsewhere with the next private answer of this process.
 */
export class LateOutcomes {
  readonly #options: LateOutcomesOptions;
  readonly #untold = new BoundedMap<string, Untold>(MOST_ACCOUNTS);

  constructor(options: LateOutcomesOptions) {
    this.#options = options;
  }

  /** A retry has settled it, unless its author has already asked how it went. */
  async settled({ account, way }: RequestKey): Promise<void> {
    const { store, now } = this.#options;
    const request = await store.findRequest({ account, way }, now());
    const is = request && outcomeOf(request);
    if (request === undefined || is === undefined) return;
    // First, for another process, should this one end while the platform answers: better told twice than never.
    const untold: LinkRequest = { ...request, untold: true };
    if (!(await store.changeRequest(untold))) return;
    if (await this.#isTold({ ...untold, version: request.version + 1 }, is)) return;
    this.#untold.set(accountKey(account), { is, way });
  }

  async #isTold(request: LinkRequest, is: LateOutcome): Promise<boolean> {
    const { store, notify, log } = this.#options;
    const texts = textsFor(request.locale);
    const card = noteCard('plain', texts.link.lateTitle, lateText(is, texts));
    try {
      if (!(await notify(request.account, card))) return false;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.debug({ error: messageOf(error) }, 'could not say how a signature went');
      return false;
    }
    await store.changeRequest({ ...request, untold: undefined });
    return true;
  }

  /** What the account hasn't been told, once. */
  async take(account: Account): Promise<LateOutcome | undefined> {
    const { store, now } = this.#options;
    const key = accountKey(account);
    const untold = this.#untold.get(key);
    if (untold === undefined) return undefined;
    this.#untold.delete(key);
    const request = await store.findRequest({ account, way: untold.way }, now());
    // Over, or another process has said it.
    if (request?.untold === undefined) return undefined;
    await store.changeRequest({ ...request, untold: undefined });
    return untold.is;
  }
}

/** What to say of it. */
export function lateText(is: LateOutcome, { link, errors }: Texts): string {
  return is instanceof UserError ? `${link.lateRefused} ${errors.of(is)}` : link.late[is];
}

function outcomeOf(request: LinkRequest): LateOutcome | undefined {
  const { settled, checked, way } = request;
  if (settled === undefined) return checked && 'other';
  if ('outcome' in settled) return settled.outcome.kind === 'claimed' ? 'other' : 'linked';
  if (settled.code === 'proof-unchecked') return 'unanswered';
  if (settled.code === 'owners-unchecked') return 'unansweredOwners';
  if (settled.code === 'text-expired') return 'unapproved';
  // Of what was signed on the page, the chat names no wallet.
  const isTold = way === 'chat' && !OF_OTHERS.includes(settled.code);
  return isTold ? settledRefusal(request) : 'other';
}

/** Goes on with what a process that has ended left undone; one that lives is faster. */
export async function takeUp({
  store,
  now,
  retries,
  late,
  log,
}: {
  readonly store: Pick<LinkStore, 'unfinishedRequests'>;
  readonly now: () => number;
  readonly retries: Pick<ProofRetries, 'add'>;
  readonly late: Pick<LateOutcomes, 'settled'>;
  readonly log: Logger;
}): Promise<void> {
  for (const { account, way, pending } of await store.unfinishedRequests(now(), MOST_RETRIED)) {
    const key = { account, way };
    if (pending === undefined) {
      // One that fails each time mustn't keep the others, or the rest of the upkeep, from their turn.
      await late.settled(key).catch((error: unknown) => {
        log.error({ err: error }, 'bug: could not say how a signature went');
      });
    } else retries.add(key, Math.max(1, pending.retryAt + OVERDUE_SECONDS - now()));
  }
}
