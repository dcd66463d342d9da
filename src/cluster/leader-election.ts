import { sleep } from '#base/waiting';
import { Claims, type ClaimsOptions } from './claims.ts';

interface TurnOptions extends Omit<ClaimsOptions, 'patienceMs'> {
  /** The claim a replica must hold. */
  readonly claim: string;
  /** Milliseconds between renewals of the claim. */
  readonly everyMs: number;
  /** Called when we get the turn. */
  readonly onWon?: () => void;
  readonly onLost?: () => void;
  /** Called repeatedly while another replica has the turn. */
  readonly onStandBy?: () => void;
}

/**
 * Decides whether this replica is the one that does something. While the store is unavailable
 * everything stays as it is, since one replica has to.
 */
export class LeaderElection {
  readonly #options: TurnOptions;
  readonly #claims: Claims;
  readonly #leaving = new AbortController();
  readonly #held: Promise<void>;
  /** Aborts when the turn is lost; undefined while another replica has it. */
  #turn: AbortController | undefined;
  #begun = Promise.withResolvers<AbortSignal>();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#claims = new Claims({ ...options, patienceMs: options.everyMs });
    this.#held = this.#hold();
  }

  get isMine(): boolean {
    return this.#turn !== undefined;
  }

  /**
   * Waits for the turn. @returns a signal that aborts when it's lost; undefined if `until` came
   * first
   */
  async wait(until: AbortSignal): Promise<AbortSignal | undefined> {
    const ended = Promise.withResolvers<undefined>();
    const end = () => ended.resolve(undefined);
    until.addEventListener('abort', end);
    try {
      return until.aborted ? undefined : await Promise.race([this.#begun.promise, ended.promise]);
    } finally {
      until.removeEventListener('abort', end);
    }
  }

  /** Releases the turn to other replicas immediately. */
  async release(): Promise<void> {
    this.#leaving.abort();
    await this.#held;
    if (this.#turn === undefined) return;
    this.#drop();
    await this.#claims.release(this.#options.claim);
  }

  async #hold(): Promise<void> {
    const { claim, everyMs, onStandBy } = this.#options;
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const isOurs = await this.#claims.hold(claim);
      if (signal.aborted) return;
      if (isOurs === true) this.#win();
      if (isOurs === false) {
        this.#lose();
        onStandBy?.();
      }
      await sleep(everyMs, signal);
    }
  }

  #win(): void {
    if (this.#turn !== undefined) return;
    this.#options.onWon?.();
    this.#turn = new AbortController();
    this.#begun.resolve(this.#turn.signal);
  }

  #lose(): void {
    if (this.#turn === undefined) return;
    this.#options.onLost?.();
    this.#drop();
  }

  #drop(): void {
    this.#begun = Promise.withResolvers();
    this.#turn?.abort();
    this.#turn = undefined;
  }
}
