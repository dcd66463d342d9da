import { HELD_PLACE, START_PLACE } from '#scoring/inputs/input';
import { type EventLine, ProofFault } from './format.ts';

/** An event as a chain has it. */
export interface ChainSampleEvent {
  /** The input's name. */
  readonly name: string;
  readonly address: string;
  readonly height: number;
  readonly place: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** JSON of an object with string values. */
  readonly args: string;
}

/** Everything that a source has under some inputs in some ranges of heights. */
export interface ChainSample {
  readonly source: string;
  /** Names of the inputs. */
  readonly inputs: ReadonlySet<string>;
  /** Heights behind `from`, up to `to`. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  readonly events: readonly ChainSampleEvent[];
  /** The inputs whose balances are asked when days end, with the height before the first that is read. */
  readonly asked: ReadonlyMap<string, number>;
  /** The last height of each day that ends in the ranges, ascending. */
  readonly dayEnds: readonly number[];
}

/** Compares an evidence file's events with samples of the chains, both ways. */
export class SampleCheck {
  readonly #samples: ReadonlyMap<string, ChainSample>;
  /** By source and what identifies an event; removed once found in the file. */
  readonly #missing = new Map<string, { readonly source: string } & ChainSampleEvent>();
  readonly #held: HeldBalances;
  readonly #starts: { readonly line: EventLine; readonly number: number }[] = [];
  #compared = 0;
  #unused = 0;

  constructor(samples: readonly ChainSample[]) {
    this.#samples = new Map(samples.map((each) => [each.source, each]));
    this.#held = new HeldBalances(this.#samples);
    for (const { source, events } of samples) {
      for (const event of events) {
        this.#missing.set(keyOf({ ...event, source, input: event.name }), { source, ...event });
      }
    }
  }

  /** Events of the file that were compared. */
  get compared(): number {
    return this.#compared;
  }

  /** Events of the samples' sources that belong to no rule, so they can't be compared. */
  get unused(): number {
    return this.#unused;
  }

  /** What addresses of the samples' sources held before the first block that was read, with the lines' numbers. */
  get starts(): readonly { readonly line: EventLine; readonly number: number }[] {
    return this.#starts;
  }

  /** What addresses held at the ends of sampled days by the lines so far, to ask the chain for; each once. */
  takeHeld(): readonly HeldBalance[] {
    return this.#held.taken();
  }

  /** @param number of the line, from 1. @throws ProofFault */
  take(line: EventLine, number: number): void {
    const { source, input, address, height, time } = line;
    const sample = this.#samples.get(source);
    if (sample === undefined) return;
    if (!sample.inputs.has(input)) {
      this.#unused += 1;
      return;
    }
    if (line.place === START_PLACE) {
      // What an address held before the first block isn't an event, so the chain is asked for it apart.
      this.#starts.push({ line, number });
      return;
    }
    const isSampled = sample.ranges.some(({ from, to }) => height > from && height <= to);
    const begin = sample.asked.get(input);
    if (begin !== undefined) this.#held.take(line, number, begin);
    if (begin !== undefined && line.place === HELD_PLACE) {
      const isEnd = height === begin || sample.dayEnds.includes(height);
      if (isEnd || !(isSampled || height < begin)) return;
      throw new ProofFault(`no day of ${source} ends at ${height}.`, number);
    }
    if (!isSampled) return;
    this.#compared += 1;
    const key = keyOf(line);
    const there = this.#missing.get(key);
    const what = `${address} at ${source} ${height}`;
    if (there === undefined) {
      throw new ProofFault(`the chain has no such event of ${what} (${input}).`, number);
    }
    this.#missing.delete(key);
    if (there.time !== time) {
      throw new ProofFault(
        `the time of ${what} is ${there.time} on the chain, but the file says ${time}.`,
        number,
      );
    }
    const [own, written] = [argsText(JSON.parse(there.args)), argsText(line.args)];
    if (own === written) return;
    throw new ProofFault(
      `the arguments of ${what} are ${own.slice(0, 200)} on the chain, but the file says ${written.slice(0, 200)}.`,
      number,
    );
  }

  /** @throws ProofFault with the first event that the file leaves out */
  finish(): void {
    this.#held.finish();
    const [first] = this.#missing.values();
    if (first === undefined) return;
    const { source, address, height, name } = first;
    throw new ProofFault(
      `The chain has an event of ${address} at ${source} ${height} (${name}) that the file leaves out.`,
    );
  }
}

function keyOf(event: Pick<EventLine, 'source' | 'input' | 'address' | 'height' | 'place'>) {
  const { source, input, address, height, place } = event;
  return JSON.stringify([source, input, address, height, place]);
}

function argsText(args: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What an address held when a day ended, by a file. */
export interface HeldBalance {
  readonly source: string;
  readonly input: string;
  readonly address: string;
  readonly height: number;
  readonly balance: bigint;
  /** Whether the file says that it changed there. */
  readonly isChange: boolean;
  /** The number of the last line that counts towards it. */
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
class HeldBalances {
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
