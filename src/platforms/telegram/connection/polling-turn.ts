import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import type { WorkStore } from '#core/work/store';
import { sleep } from '#platforms/telegram/connection/sleep';
import { within } from '#platforms/telegram/connection/within';

/** Telegram answers 409 to a second process that polls with one token. */
const CLAIM = 'telegram:polling';

export interface PollingTurnOptions {
  readonly work: WorkStore;
  /** Names this process; see `WorkStore`. */
  readonly replica: string;
  readonly log: Logger;
  /** Milliseconds between two times that the claim is held. */
  readonly everyMs: number;
  /** Whether this replica can't reach the store while others can. */
  readonly isCutOff?: (() => boolean) | undefined;
  /** Told, again and again, that another replica has the turn. */
  readonly onStandBy: () => void;
}

/**
 * Whether this replica is the one that asks for updates. While the store is away all stays as it is:
 * somebody has to ask, and Telegram sees to it that only one does.
 */
export class PollingTurn {
  readonly #options: PollingTurnOptions;
  readonly #leaving = new AbortController();
  readonly #held: Promise<void>;
  /** Aborted when the turn is lost; undefined while another has it. */
  #turn: AbortController | undefined;
  #begun = Promise.withResolvers<AbortSignal>();

  constructor(options: PollingTurnOptions) {
    this.#options = options;
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
    const { work, replica, log, everyMs } = this.#options;
    this.#leaving.abort();
    await this.#held;
    if (this.#turn === undefined) return;
    this.#drop();
    try {
      await within(Promise.resolve(work.release(CLAIM, replica)), everyMs);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'Telegram: the turn was not given back');
    }
  }

  async #hold(): Promise<void> {
    const { everyMs, onStandBy } = this.#options;
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const isOurs = await within(this.#ask(), everyMs);
      if (signal.aborted) return;
      if (isOurs === true) this.#win();
      if (isOurs === false) {
        this.#lose();
        onStandBy();
      }
      await sleep(everyMs, signal);
    }
  }

  /** @returns undefined while the store is away for everybody, as far as is known */
  async #ask(): Promise<boolean | undefined> {
    const { work, replica, log, isCutOff } = this.#options;
    try {
      return await work.hold(CLAIM, replica);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'Telegram: nobody can say whose turn it is');
      // One that is cut off alone counts as dead to the others.
      return isCutOff?.() === true ? false : undefined;
    }
  }

  #win(): void {
    if (this.#turn !== undefined) return;
    this.#options.log.info({}, 'Telegram: this replica asks for updates');
    this.#turn = new AbortController();
    this.#begun.resolve(this.#turn.signal);
  }

  #lose(): void {
    if (this.#turn === undefined) return;
    this.#options.log.info({}, 'Telegram: another replica asks for updates from now on');
    this.#drop();
  }

  #drop(): void {
    this.#begun = Promise.withResolvers();
    this.#turn?.abort();
    this.#turn = undefined;
  }
}
