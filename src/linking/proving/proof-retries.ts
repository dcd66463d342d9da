import { type LinkErrorCode, type Logger, messageOf, RetryableError, UserError } from '#base';
import { type Account, accountKey } from '#command';
import type { Challenger, CheckedProof } from '#linking/challenge/challenger';
import type { LinkRequest, RequestWay } from '#linking/challenge/requests';
import { isForSeveral } from '#linking/challenge/shared-text';
import type { LinkStore } from '#linking/store';

/** Seconds to keep an outcome for its account. */
export const OUTCOME_KEPT_SECONDS = 600;

/** An account's request, by way of linking. */
export interface RequestKey {
  readonly account: Account;
  readonly way: RequestWay;
}

interface RetryParts {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/**
 * Retries a signature that couldn't be checked. A rejection is stored in the request, for its
 * account.
 * @param keep what to do with a valid proof
 * @returns seconds until the next retry; undefined if it's settled
 */
export async function retryProof(
  { store, challenger, now }: RetryParts,
  { isAsked, ...key }: RequestKey & { readonly isAsked: boolean },
  keep: (checked: CheckedProof) => Promise<unknown>,
): Promise<number | 'none' | undefined> {
  const found = await store.findRequest(key, now());
  if (found?.pending === undefined) return 'none';
  try {
    await keep(await challenger.recheck(found, now(), isAsked));
    return undefined;
  } catch (error) {
    if (error instanceof RetryableError) return error.retryAfter;
    if (!(error instanceof UserError)) throw error;
    const current = await store.findRequest(key, now());
    if (current?.id !== found.id) return 'none';
    // Signatures that were handed in meanwhile took its place, and how they go is yet to be seen.
    const hasGivenWay = current.challenge === undefined && current.pending !== undefined;
    const { code, message, values } = error;
    const settled = { code: code as LinkErrorCode, message, values };
    const expiresAt = Math.max(current.expiresAt, now() + OUTCOME_KEPT_SECONDS);
    if (!hasGivenWay) await store.changeRequest({ ...current, settled, expiresAt });
    return current.pending && Math.max(1, current.pending.retryAt - now());
  }
}

/** Why a retried signature was rejected. */
export function settledRefusal({ settled }: LinkRequest): UserError | undefined {
  if (settled === undefined || 'outcome' in settled) return undefined;
  const { code, message, values } = settled;
  return new UserError(code, message, [], { values });
}

/** Forgets a refusal that was told, with its request unless several people can go on signing. */
export async function forgetRefusal(
  store: LinkStore,
  request: LinkRequest,
  now: number,
): Promise<void> {
  const { challenge } = request;
  if (isForSeveral(challenge) && challenge.expiresAt > now) {
    await store.changeRequest({ ...request, settled: undefined });
  } else {
    await store.dropRequest(request);
  }
}

/** What a signature has led to that was checked after its answer, unless it was refused. */
type SettledLink = Extract<LinkRequest['settled'], { readonly outcome: unknown }>;

/**
 * How a signature went that was checked after its answer: once.
 * @throws UserError a ProofErrorCode
 */
export async function takeOutcome(
  store: LinkStore,
  request: LinkRequest,
  now: number,
): Promise<SettledLink | undefined> {
  const refusal = settledRefusal(request);
  if (refusal !== undefined) {
    await forgetRefusal(store, request, now);
    throw refusal;
  }
  if (request.settled === undefined || !('outcome' in request.settled)) return undefined;
  await store.dropRequest(request);
  return request.settled;
}

/** Beyond that, proofs are retried when their account asks. */
export const MOST_RETRIED = 1_000;

/** Schedules work. @returns a function that cancels it */
export type Scheduler = (milliseconds: number, work: () => void) => () => void;

export interface ProofRetriesOptions {
  /** @returns seconds until the next retry; undefined once it's settled */
  readonly retry: (key: RequestKey) => Promise<number | undefined>;
  readonly after: Scheduler;
  readonly log: Logger;
}

/**
 * Retries proofs that couldn't be checked. Only this process knows of them; what it leaves undone is in the store,
 * retried when its account asks, and given to a process that lives by the upkeep.
 */
export class ProofRetries {
  readonly #options: ProofRetriesOptions;
  readonly #waiting = new Map<string, () => void>();
  readonly #running = new Set<Promise<void>>();
  #isOver = false;

  constructor(options: ProofRetriesOptions) {
    this.#options = options;
  }

  /** In this many seconds, unless it's already scheduled. */
  add(key: RequestKey, seconds: number): void {
    const name = `${key.way}:${accountKey(key.account)}`;
    if (this.#isOver || this.#waiting.has(name) || this.#waiting.size >= MOST_RETRIED) return;
    const cancel = this.#options.after(seconds * 1000, () => {
      this.#waiting.delete(name);
      const running = this.#retry(key).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
    this.#waiting.set(name, cancel);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  async #retry(key: RequestKey): Promise<void> {
    try {
      const seconds = await this.#options.retry(key);
      if (seconds !== undefined) this.add(key, seconds);
    } catch (error) {
      this.#options.log.error({ err: error }, `stopped retrying a proof: ${messageOf(error)}`);
    }
  }
}
