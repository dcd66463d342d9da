import { RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { Urgency } from '#core/ports';
import type { HttpFailure, JsonReply } from '#runtime/json-http/client';
import type { Breaker } from './breaker.ts';
import type { Budget } from './budget.ts';
import type { Client } from './client.ts';
import { type Hints, readHints } from './hints.ts';
import type { RequestQueue, Ticket } from './queue.ts';
import type { SharedPlaces } from './shared-places.ts';
import type { Timings } from './timings.ts';

/** How long nothing is asked after a 429 that doesn't say how long. */
const LIMITED_MS = 10_000;
/** How long nothing is asked after the key was refused, which counts against us. */
const REFUSED_MS = 60_000;

export type Outcome =
  | { readonly kind: 'body'; readonly json: unknown; readonly text: string; readonly hints: Hints }
  /** What we have is still so. */
  | { readonly kind: 'unchanged'; readonly hints: Hints }
  /** The upstream has never seen the wallet. */
  | { readonly kind: 'unseen'; readonly hints: Hints };

export interface AskerOptions {
  readonly client: Pick<Client, 'get'>;
  readonly budget: Budget;
  /** Where other replicas ask the same upstream. */
  readonly places: SharedPlaces | undefined;
  readonly breaker: Breaker;
  readonly queue: RequestQueue;
  readonly log: Logger;
  readonly timings: Pick<Timings, 'requestMs'>;
  /** Told of every request that ended. */
  readonly onRequest: (outcome: string) => void;
}

/** A failure of the moment: a connection that was just closed, a restart. */
class Failure extends RetryableError {}

/** Asks the upstream when it may be asked, and makes sense of what comes back. */
export class Asker {
  readonly #options: AskerOptions;
  /** What is wrong, since the last answer. */
  #trouble: string | undefined;
  #isSuspect = false;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** Why the newest request had no answer; undefined while they have. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Whether the newest request says that the upstream may be away; a refusal is an answer. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Whether a request would have to wait before it leaves. */
  isHeldUp(urgency: Urgency): boolean {
    const { breaker, budget, places } = this.#options;
    return breaker.waitMs() > 0 || budget.waitMs(urgency) > 0 || (places?.knownWaitMs ?? 0) > 0;
  }

  /**
   * @param path below `/v1`
   * @param patienceMs how long it may wait to leave
   * @returns an outcome, or RetryableError
   */
  ask(path: string, etag: string | undefined, urgency: Urgency, patienceMs: number) {
    let current = this.#try(path, etag, urgency, patienceMs);
    const again = (error: unknown): Promise<Outcome> => {
      if (!(error instanceof Failure) || this.#options.breaker.isOpen) throw error;
      current = this.#try(path, etag, urgency, patienceMs);
      return current.result;
    };
    return { result: current.result.catch(again), hurry: (more: Urgency) => current.hurry(more) };
  }

  #try(path: string, etag: string | undefined, urgency: Urgency, patience: number) {
    const { queue } = this.#options;
    const ticket: Ticket<Outcome> = queue.add(
      (leaving) => this.#request(path, etag, leaving),
      urgency,
      patience,
    );
    return ticket;
  }

  async #request(path: string, etag: string | undefined, urgency: Urgency): Promise<Outcome> {
    const { client, budget, places, breaker, timings, onRequest } = this.#options;
    breaker.begin();
    budget.spend(urgency);
    places?.spend();
    let reply: JsonReply;
    try {
      reply = await client.get(path, etag, timings.requestMs);
    } catch (error) {
      budget.settle();
      onRequest('failed');
      // Who took too long once would only be waited for again.
      const { reason, message, cause } = error as HttpFailure;
      if (reason === 'timeout') throw this.#failed(`it ${message}`, error);
      const said = cause instanceof Error ? cause.message : '';
      throw this.#failedNow(said || `it ${message}`, error);
    }
    const hints = readHints(reply.headers);
    budget.settle(hints);
    onRequest(String(reply.status));
    return this.#outcomeOf(path, reply, hints);
  }

  #outcomeOf(path: string, reply: JsonReply, hints: Hints): Outcome {
    const { status } = reply;
    if (status === 304) return this.#answered({ kind: 'unchanged', hints });
    if (status === 429) {
      const waitMs = hints.retryAfterMs ?? hints.resetMs ?? LIMITED_MS;
      return this.#refused('it allows no more requests for now', waitMs);
    }
    if (status === 401 || status === 403) {
      return this.#refused(`it refuses UPSTREAM_API_KEY or its absence (${status})`, REFUSED_MS);
    }
    if (status >= 300 && status < 400) {
      throw this.#failed(`it redirects (${status}); set UPSTREAM_URL to where it really is`);
    }
    if (status >= 500) throw this.#failedNow(`it answered with ${status}`);
    if (status !== 200 && status !== 404) throw this.#failed(`it answered with ${status}`);
    let json: unknown;
    try {
      json = reply.json();
    } catch (error) {
      throw this.#failed(`what it sent is not JSON (${status})`, error);
    }
    if (status === 200) return this.#answered({ kind: 'body', json, text: reply.text, hints });
    if (saysUnseen(path, json)) return this.#answered({ kind: 'unseen', hints });
    throw this.#failed('it has no such resource; UPSTREAM_URL may lead to something else');
  }

  #answered(outcome: Outcome): Outcome {
    this.#options.breaker.succeed();
    if (this.#trouble !== undefined) this.#options.log.info({}, 'the upstream answers again');
    this.#trouble = undefined;
    this.#isSuspect = false;
    return outcome;
  }

  /** It works, and doesn't want to be asked. */
  #refused(reason: string, waitMs: number): never {
    this.#options.breaker.succeed();
    this.#options.budget.block(waitMs);
    void this.#options.places?.block(waitMs);
    this.#isSuspect = false;
    this.#note(reason);
    throw new RetryableError(`The upstream: ${reason}.`, { retryAfter: Math.ceil(waitMs / 1000) });
  }

  /** What it sent was understood and can't be believed. */
  doubt(message: string): void {
    this.#isSuspect = true;
    this.#note(message);
  }

  #failed(reason: string, cause?: unknown): RetryableError {
    this.#options.breaker.fail();
    this.#isSuspect = true;
    this.#note(reason);
    return new RetryableError(`The upstream: ${reason}.`, { cause });
  }

  #failedNow(reason: string, cause?: unknown): Failure {
    const { message } = this.#failed(reason);
    return new Failure(message, { cause });
  }

  /** Each kind of trouble is told once. */
  #note(reason: string): void {
    if (this.#trouble !== reason) {
      this.#options.log.warn({ reason }, 'the upstream does not answer; showing what is known');
    }
    this.#trouble = reason;
  }
}

/**
 * Whether a 404 says that the wallet was never seen. Without a code it is believed of a wallet; a
 * page that says "not found" in HTML, or an address that leads elsewhere, is not.
 */
function saysUnseen(path: string, json: unknown): boolean {
  const isOfWallet = /^\/(reputation|badges|activity)\//.test(path);
  const code = typeof json === 'object' && json !== null && 'code' in json ? json.code : undefined;
  return isOfWallet && (code === undefined || code === 'wallet-not-found');
}
