import { RetryableError } from '#base';
import { Backoff } from '#base/waiting';
import { type InputState, SOUND } from '#scoring';
import { verifyBalances } from '#sources/verify-balances';
import type { Degradations } from './degradations.ts';
import type { SourceReaderOptions } from './reader-options.ts';

/** How often to compare balances with the chain again once they were correct. */
const COMPARE_AGAIN_MS = 24 * 3_600_000;
/** How long after the start to compare them again, so that a crash loop doesn't hammer the nodes. */
const COMPARE_FIRST_MS = 10 * 60_000;

/** Compares a source's balances with the chain's, once all is read and then daily. */
export class ComparedBalances {
  readonly #options: SourceReaderOptions;
  readonly #shortfalls: Degradations;
  readonly #backoff: Backoff;
  #from = Number.NEGATIVE_INFINITY;
  readonly #beganAt = performance.now();
  /** When each input's balances were last compared with the chain. */
  readonly #comparedAt = new Map<string, number>();
  /** The heights at which they differed, as long as that is undecided. */
  readonly #doubtedAt = new Map<string, number>();

  constructor(
    options: SourceReaderOptions,
    shortfalls: Degradations,
    retryMs: { readonly first: number; readonly most: number },
  ) {
    this.#options = options;
    this.#shortfalls = shortfalls;
    this.#backoff = new Backoff(retryMs);
  }

  /** Whether live rules about its balances give no points before these have been compared. */
  isUncompared({ name, verdict }: InputState): boolean {
    const { inputs, live } = this.#options.wanted();
    const isHold = inputs.some((each) => each.kind === 'hold' && each.name === name);
    return isHold && live.has(name) && verdict === undefined;
  }

  /** @param states of inputs that have been read to the end @returns whether there may be more to compare */
  async atEnd(states: readonly InputState[], signal: AbortSignal): Promise<boolean> {
    const { id } = this.#options;
    // Which rules are live may change while they're compared.
    const isWaiting = () => states.some((each) => this.isUncompared(each));
    if (performance.now() < this.#from) return false;
    try {
      await this.#compare(states, signal);
      this.#backoff.reset();
      for (const kind of ['balances', 'comparison'] as const) {
        this.#shortfalls.over(kind, `Balances of ${id} can be compared again`);
      }
      return isWaiting();
    } catch (error) {
      if (signal.aborted || !(error instanceof RetryableError)) throw error;
      this.#from = performance.now() + this.#backoff.next();
      const waits = isWaiting() ? ', so rules about them give no points yet' : '';
      const words = `Balances of ${id} can't be compared with the chain's${waits}: ${error.message}`;
      if (isWaiting()) this.#shortfalls.found('balances', words);
      // Rules whose balances were right go on.
      else this.#shortfalls.found('comparison', words, COMPARE_AGAIN_MS);
      return false;
    }
  }

  async #compare(states: readonly InputState[], signal: AbortSignal): Promise<void> {
    const { store, chain, highestWallet, wanted, log } = this.#options;
    const { inputs, nobody } = wanted();
    for (const input of inputs) {
      const state = states.find(({ name }) => name === input.name);
      if (input.kind !== 'hold' || state === undefined || !this.#isToCompare(state)) continue;
      const upTo = await highestWallet();
      const options = { input, state, store, chain, upTo, nobody, log, signal };
      const doubtedAt = await verifyBalances(options, this.#doubtedAt.get(input.name));
      if (doubtedAt === undefined) {
        this.#comparedAt.set(input.name, performance.now());
        this.#doubtedAt.delete(input.name);
      } else this.#doubtedAt.set(input.name, doubtedAt);
    }
  }

  #isToCompare({ name, verdict }: InputState): boolean {
    if (verdict === undefined) return true;
    if (verdict !== SOUND) return false;
    const { compareAgainMs = COMPARE_AGAIN_MS } = this.#options;
    const comparedAt = this.#comparedAt.get(name);
    if (comparedAt !== undefined) return performance.now() - comparedAt >= compareAgainMs;
    // When the last process did so isn't known. A service that restarts daily must compare them, too.
    return performance.now() - this.#beganAt >= Math.min(compareAgainMs, COMPARE_FIRST_MS);
  }
}
