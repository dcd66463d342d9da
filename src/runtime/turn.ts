import { Claims, type ClaimsOptions } from './claims.ts';
import { sleep } from './sleep.ts';

interface TurnOptions extends Omit<ClaimsOptions, 'patienceMs'> {
  /** What a replica must hold to have the turn. */
  readonly claim: string;
  /** Milliseconds between two times that the claim is held. */
  readonly everyMs: number;
  /** The turn is ours from now on, and was not before. */
  readonly onWon?: () => void;
  readonly onLost?: () => void;
  /** Told, again and again, that another replica has the turn. */
  readonly onStandBy?: () => void;
}

/**
 * Whether this replica is the one that does something. While the store is away all stays as it is:
 * somebody has to do it.
 */
export class Turn {
  readonly #options: TurnOptions;
  readonly #claims: Claims;
  readonly #leaving = new AbortController();
  readonly #held: Promise<void>;
  /** Aborted when the turn is lost; undefined while another replica has it. */
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

  /** Waits for the turn. @returns aborted as soon as it is lost; undefined when `until` was first */
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

  /** Another replica may have it at once. */
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
