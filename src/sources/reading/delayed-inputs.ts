import type { BackoffRange } from '#base';
import { Backoff } from '#base/waiting';

/** An input that can't be read on for now. */
interface Delay {
  readonly backoff: Backoff;
  /** By performance.now(). */
  until: number;
  words: string;
}

/** Inputs that wait for something that only they need, while the others of their source are read on. */
export class DelayedInputs {
  readonly #range: BackoffRange;
  readonly #all = new Map<string, Delay>();

  /** @param range how long to wait before trying again */
  constructor(range: BackoffRange) {
    this.#range = range;
  }

  /** @param words why, as a sentence */
  add(input: string, words: string): void {
    const delay = this.#all.get(input) ?? { backoff: new Backoff(this.#range), until: 0, words };
    delay.words = words;
    delay.until = performance.now() + delay.backoff.next();
    this.#all.set(input, delay);
  }

  over(input: string): void {
    this.#all.delete(input);
  }

  /** Forgets all but these. */
  keep(inputs: ReadonlySet<string>): void {
    for (const input of this.#all.keys()) if (!inputs.has(input)) this.#all.delete(input);
  }

  /** Whether it's too soon to try again. */
  has(input: string): boolean {
    const delay = this.#all.get(input);
    return delay !== undefined && performance.now() < delay.until;
  }

  /** How long until one of them is to be tried again, in milliseconds. */
  get leftMs(): number {
    const soonest = Math.min(...[...this.#all.values()].map(({ until }) => until));
    return Math.max(0, soonest - performance.now());
  }

  /** Why some wait; undefined if none does. */
  get words(): string | undefined {
    const all = new Set([...this.#all.values()].map(({ words }) => words));
    return all.size === 0 ? undefined : [...all].join(' ');
  }
}
