import { type Elapsed, type Logger, wallSeconds } from '#base';
import type { Replica } from './replica.ts';

/** Less matters to nobody, and a slow heartbeat can pass for some of it. */
const MOST_SECONDS = 60;

/**
 * @param ahead seconds by which this machine's clock is ahead of the database's
 * @returns what is wrong with it; undefined while they are close
 */
export function clockFault(ahead: number): string | undefined {
  if (Math.abs(ahead) <= MOST_SECONDS) return undefined;
  const minutes = Math.round(Math.abs(ahead) / 60);
  return `this machine's clock is ${minutes} min ${ahead > 0 ? 'ahead of' : 'behind'} the database's`;
}

/**
 * Compares this machine's clock with the store's at each heartbeat. By the machine's, dates are noted and codes
 * expire: a member who asks one replica and answers another would be too late, or too early.
 */
export class ClockCheck {
  readonly #replica: Pick<Replica, 'onNotices' | 'isClockDoubted'>;
  readonly #log: Logger;
  readonly #clock: () => number;
  #last: string | undefined;
  #fault: string | undefined;

  /** @param clock seconds since 1970 */
  constructor(
    replica: Pick<Replica, 'onNotices' | 'isClockDoubted'>,
    log: Logger,
    clock: () => number = wallSeconds,
  ) {
    this.#replica = replica;
    this.#log = log;
    this.#clock = clock;
    replica.onNotices((_, at) => this.#compare(at));
  }

  /** What is wrong with this machine's clock. */
  get fault(): string | undefined {
    return this.#fault;
  }

  #compare(at: number): void {
    const found = clockFault(this.#clock() - at);
    this.#replica.isClockDoubted = found !== undefined;
    // A single reply may have waited for as long, as of a process that was suspended.
    const fault = this.#last === undefined ? undefined : found;
    this.#last = found;
    if ((fault === undefined) !== (this.#fault === undefined)) {
      if (fault === undefined) this.#log.info({}, "this machine's clock is right again");
      else
        this.#log.error(
          {},
          `${fault}: set it, as members' codes expire and dates are noted by it; until then, nothing is taken away here`,
        );
    }
    this.#fault = fault;
  }
}

/**
 * What is known to have elapsed between two dates, of which another replica may have noted the first: nothing while
 * this machine's clock is wrong. For whatever is taken away after a time.
 */
export function knownElapsed(replica: Pick<Replica, 'isClockDoubted'>, elapsed: Elapsed): Elapsed {
  return (from, to) => (replica.isClockDoubted ? 0 : elapsed(from, to));
}
