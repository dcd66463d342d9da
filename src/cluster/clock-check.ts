import { type Elapsed, type Logger, wallSeconds } from '#base';
import type { Replica } from './replica.ts';

/** Less matters to nobody, and a slow heartbeat can pass for some of it. */
const MOST_SECONDS = 60;

/** What a replica that works says to the others while its clock is right. */
const RIGHT = 'clock: right';

/**
 * @param ahead seconds by which this machine's clock is ahead of another
 * @param other that one
 * @returns what is wrong with it; undefined while they are close
 */
export function clockFault(ahead: number, other = "the database's"): string | undefined {
  if (Math.abs(ahead) <= MOST_SECONDS) return undefined;
  const minutes = Math.round(Math.abs(ahead) / 60);
  return `this machine's clock is ${minutes} min ${ahead > 0 ? 'ahead of' : 'behind'} ${other}`;
}

type Observed = Pick<
  Replica,
  'announce' | 'onNotices' | 'standAside' | 'isAside' | 'isClockDoubted'
>;

/**
 * Compares this machine's clock with the store's at each heartbeat. By the machine's, dates are noted and codes
 * expire: a member who asks one replica and answers another would be too late, or too early. Receivers of webhooks
 * refuse what was signed minutes away from their time, and Discord's signatures are refused here. So this replica
 * stands aside while the clock of another is right by the store's; alone, it may be the store's that is wrong.
 */
export class ClockCheck {
  readonly #replica: Observed;
  readonly #log: Logger | undefined;
  readonly #clock: () => number;
  #last: string | undefined;
  #fault: string | undefined;
  #ahead = 0;

  /**
   * @param log undefined for a part of a replica, which stands aside by itself, by what other replicas say as a whole:
   *   parts are nobody's peers, and the whole one says what is wrong
   * @param clock seconds since 1970
   */
  constructor(replica: Observed, log: Logger | undefined, clock: () => number = wallSeconds) {
    this.#replica = replica;
    this.#log = log;
    this.#clock = clock;
    replica.onNotices((notices, at) => {
      this.#compare(at);
      replica.standAside('clock', this.#fault !== undefined && notices.has(RIGHT));
      // One whose settings differ leaves the work to others, so that none may leave it to that one.
      replica.announce(RIGHT, !replica.isClockDoubted && !replica.isAside);
    });
  }

  /** What is wrong with this machine's clock. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Seconds by which this machine's clock was ahead of the store's at the last heartbeat. */
  get ahead(): number {
    return this.#ahead;
  }

  #compare(at: number): void {
    this.#ahead = this.#clock() - at;
    const found = clockFault(this.#ahead);
    this.#replica.isClockDoubted = found !== undefined;
    // A single reply may have waited for as long, as of a process that was suspended.
    const fault = this.#last === undefined ? undefined : found;
    this.#last = found;
    if ((fault === undefined) !== (this.#fault === undefined)) {
      if (fault === undefined) this.#log?.info({}, "this machine's clock is right again");
      else
        this.#log?.error(
          {},
          `${fault}: set it, as dates are noted and signatures made by it; until then, nothing is taken away here, and webhooks and chats are left to replicas whose clock is right`,
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
