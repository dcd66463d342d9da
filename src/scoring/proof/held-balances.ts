import { HELD_PLACE } from '#scoring/inputs/input';
import type { EventLine } from './format.ts';

/** What an address held when a day ended, by a file. */
export interface HeldBalance {
  readonly source: string;
  readonly input: string;
  readonly address: string;
  readonly height: number;
  readonly balance: bigint;
  /** Whether the file says that it changed there. */
  readonly isChange: boolean;
  /** Of the last line that counts towards it. */
  readonly number: number;
}

interface DayEnds {
  /** Heights, ascending. */
  readonly dayEnds: readonly number[];
}

interface Running {
  readonly source: string;
  readonly input: string;
  balance: bigint;
  /** The height of the last line about what it holds. */
  changedAt: number;
  number: number;
  /** Whether an event has named the address; before that it isn't asked for. */
  isNamed: boolean;
  /** How many days' ends are behind. */
  ended: number;
}

/** Adds up the lines of one address after the other, and notes what it held at the ends of sampled days. */
export class HeldBalances {
  readonly #samples: ReadonlyMap<string, DayEnds>;
  readonly #running = new Map<string, Running>();
  #address = '';
  #held: HeldBalance[] = [];

  constructor(samples: ReadonlyMap<string, DayEnds>) {
    this.#samples = samples;
  }

  /**
   * @param line of an input whose balances are asked
   * @param number of the line
   * @param begin the height before the first that is read
   */
  take(line: EventLine, number: number, begin: number): void {
    const { source, input, address, height, args, place } = line;
    if (address !== this.#address) this.finish();
    this.#address = address;
    const key = `${source} ${input}`;
    const running = this.#running.get(key) ?? {
      ...{ source, input, balance: 0n, changedAt: -1, number, isNamed: false, ended: 0 },
    };
    this.#running.set(key, running);
    this.#endDays(running, height);
    running.balance += BigInt(args.amount ?? 0);
    running.number = number;
    if (place === HELD_PLACE) running.changedAt = height;
    running.isNamed ||= place !== HELD_PLACE;
    if (place === HELD_PLACE && height === begin) this.#note(running, height);
  }

  /** There are no more lines of the address. */
  finish(): void {
    for (const running of this.#running.values()) {
      this.#endDays(running, Number.POSITIVE_INFINITY);
    }
    this.#running.clear();
  }

  /** What was noted since it was last called. */
  taken(): readonly HeldBalance[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  #endDays(running: Running, height: number): void {
    const { dayEnds = [] } = this.#samples.get(running.source) ?? {};
    for (;;) {
      const end = dayEnds[running.ended];
      if (end === undefined || end >= height) return;
      running.ended += 1;
      if (running.isNamed) this.#note(running, end);
    }
  }

  #note({ source, input, balance, changedAt, number }: Running, height: number): void {
    const isChange = changedAt === height;
    this.#held.push({ source, input, address: this.#address, height, balance, isChange, number });
  }
}
