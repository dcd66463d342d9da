import { type BackoffRange, type Logger, ProblemLog } from '#base';
import { Backoff } from '#base/waiting';

export type DegradationKind =
  /** A node is so far behind that nothing newer can be compared. */
  | 'lag'
  /** No node knows anything newer. */
  | 'stall'
  /** Nodes know less at one moment than at another. */
  | 'flip'
  /** Hubs know less than what was read. */
  | 'back'
  /** Balances can't be compared with the chain's. */
  | 'balances'
  /** Balances were right, but can't be compared again. */
  | 'comparison'
  /** No node answers with the balances that rules ask for when a day ends. */
  | 'unanswered'
  /** No node answers where some rules begin. */
  | 'unbegun';

const PASSING: ReadonlySet<DegradationKind> = new Set(['comparison', 'flip', 'back', 'unbegun']);

interface Degradation {
  readonly words: string;
  /** From when on it's a failure, by performance.now(). */
  readonly from: number;
  readonly log: ProblemLog;
}

/** What scores lack of a source although it's read: each is logged once, and fails the source if it lasts. */
export class Degradations {
  readonly #log: Logger;
  readonly #source: string;
  readonly #graceMs: number;
  readonly #all = new Map<DegradationKind, Degradation>();

  constructor(log: Logger, source: string, graceMs: number) {
    this.#log = log;
    this.#source = source;
    this.#graceMs = graceMs;
  }

  /** @param words a sentence for operators @param graceMs how long it may last */
  report(kind: DegradationKind, words: string, graceMs = this.#graceMs): void {
    const { from, log } = this.#all.get(kind) ?? {
      from: performance.now() + graceMs,
      log: new ProblemLog(this.#log),
    };
    this.#all.set(kind, { words, from, log });
    // The same failure, before the rules that it concerns went live.
    if (kind === 'balances') this.#all.delete('comparison');
    log.report(kind, 'warn', { source: this.#source }, words);
  }

  /** @param message logged if there was one of this kind */
  resolve(kind: DegradationKind, message: string): void {
    this.#all.get(kind)?.log.resolve(message);
    this.#all.delete(kind);
  }

  /** Forgets all, as another replica reads the source now. */
  clear(): void {
    this.#all.clear();
  }

  has(kind: DegradationKind): boolean {
    return this.#all.has(kind);
  }

  /** All of them, as sentences; undefined if there's none. */
  get words(): string | undefined {
    const all = [...this.#all.values()].map(({ words }) => words);
    return all.length === 0 ? undefined : all.join(' ');
  }

  /** Whether scores lack something for long; they don't while what was right can't be confirmed. */
  get isLacking(): boolean {
    return this.isFailure || [...this.#all.keys()].some((kind) => !PASSING.has(kind));
  }

  /** Whether one has lasted for so long that the source fails. */
  get isFailure(): boolean {
    return [...this.#all.values()].some(({ from }) => performance.now() >= from);
  }
}

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

  remove(input: string): void {
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

  /** How many wait. */
  get count(): number {
    return this.#all.size;
  }

  /** Why some wait; undefined if none does. */
  get words(): string | undefined {
    const all = new Set([...this.#all.values()].map(({ words }) => words));
    return all.size === 0 ? undefined : [...all].join(' ');
  }
}
