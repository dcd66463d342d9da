import type { Logger } from '#core/logger';
import type { SourcePosition } from '#core/scoring/reading/store';
import { formatTime } from '#core/time';
import { SayOnce } from '#runtime/say-once';
import type { NodeStatus } from './source.ts';

/** `lag`: a node is so far behind that nothing newer can be compared; `balances`: they can't be compared. */
export type ShortfallKind = 'lag' | 'balances';

interface Shortfall {
  readonly words: string;
  /** From when on it's a failure, by performance.now(). */
  readonly from: number;
  readonly said: SayOnce;
}

/** What scores lack of a source although it's read: each is logged once, and fails the source if it lasts. */
export class Shortfalls {
  readonly #log: Logger;
  readonly #source: string;
  readonly #graceMs: number;
  readonly #all = new Map<ShortfallKind, Shortfall>();

  constructor(log: Logger, source: string, graceMs: number) {
    this.#log = log;
    this.#source = source;
    this.#graceMs = graceMs;
  }

  /** @param words a sentence for operators */
  found(kind: ShortfallKind, words: string): void {
    const { from, said } = this.#all.get(kind) ?? {
      from: performance.now() + this.#graceMs,
      said: new SayOnce(this.#log),
    };
    this.#all.set(kind, { words, from, said });
    said.say(kind, 'warn', { source: this.#source }, words);
  }

  /** @param message logged if there was one of this kind */
  over(kind: ShortfallKind, message: string): void {
    this.#all.get(kind)?.said.over(message);
    this.#all.delete(kind);
  }

  /** Once another replica reads the source. */
  clear(): void {
    this.#all.clear();
  }

  /** One after the other; undefined if there's none. */
  get words(): string | undefined {
    const all = [...this.#all.values()].map(({ words }) => words);
    return all.length === 0 ? undefined : all.join(' ');
  }

  /** Whether one has lasted for so long that the source fails. */
  get isFailure(): boolean {
    return [...this.#all.values()].some(({ from }) => performance.now() >= from);
  }
}

/** Which nodes are behind, and by how much. @param end up to where nodes agree */
export function lagWords(
  end: SourcePosition,
  newest: SourcePosition,
  nodes: readonly NodeStatus[],
): string {
  const late = nodes
    .filter(({ height }) => height !== undefined && height < newest.height)
    .map(({ host, variable }) => (variable === undefined ? host : `${variable} (${host})`));
  return `${late.join(' and ')} knows the chain only up to ${end.height} (${formatTime(end.time)}), another node up to ${newest.height} (${formatTime(newest.time)}). What is newer counts once two nodes know it.`;
}
