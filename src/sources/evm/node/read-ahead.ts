import { monotonicMs } from '#base';
import { within } from '#base/waiting';
import { NodeFault } from '#sources/node/fault';
import { SourceStopped } from '#sources/source';
import type { BlockRange } from './range.ts';

/** Ranges that are requested, or read and not yet written. A kill -9 loses them, and they're read again. */
const AT_ONCE = 4;

export interface ReadAheadOptions<T> {
  /** The height up to which everything is known already. */
  readonly from: number;
  /** How many blocks to request at once right now, and whether that was confirmed by a response. */
  readonly blocks: () => { readonly blocks: number; readonly isKnown: boolean };
  /** @throws NodeFault of kind `too-much` if the range must be narrower */
  readonly read: (range: BlockRange, signal: AbortSignal) => Promise<T>;
}

interface Ahead<T> {
  readonly range: BlockRange;
  /** Undefined before it's requested. */
  answer: Promise<T> | undefined;
}

/**
 * Requests several ranges at once and returns them in order. If one fails, it's requested again, and the
 * responses to later ones are kept.
 */
export class ReadAhead<T> {
  readonly #options: ReadAheadOptions<T>;
  readonly #ending = new AbortController();
  #from: number;
  #ahead: Ahead<T>[] = [];

  constructor(options: ReadAheadOptions<T>) {
    this.#options = options;
    this.#from = options.from;
  }

  /** Whether the next result starts right after `from` and doesn't go beyond `upTo`. */
  continues(from: number, upTo: number): boolean {
    const [first] = this.#ahead;
    return !this.#ending.signal.aborted && this.#from === from && (first?.range.to ?? upTo) <= upTo;
  }

  /** The next range, none of it above `upTo`. @throws what reading it throws */
  async next(upTo: number): Promise<T> {
    for (;;) {
      this.#fill(upTo);
      const [first] = this.#ahead;
      if (first === undefined) throw new Error(`there is nothing behind ${this.#from} to ${upTo}`);
      try {
        const answer = await first.answer;
        this.#take(first);
        // Request the next ranges while this one is written.
        this.#fill(upTo);
        return answer as T;
      } catch (error) {
        const { from, to } = first.range;
        first.answer = undefined;
        if (!isTooMuch(error) || to - from === 1) throw error;
        const middle = from + Math.floor((to - from) / 2);
        const halves = [
          { from, to: middle },
          { from: middle, to },
        ];
        this.#ahead.splice(0, 1, ...halves.map((range) => ({ range, answer: undefined })));
      }
    }
  }

  /**
   * The range behind the one that `next` returned, to be written with it. Nothing more is requested for it,
   * and one range is left to be read meanwhile.
   * @param until monotonic
   * @returns undefined if it isn't read by then; `next` tells why it can't be
   */
  async soon(upTo: number, until: number): Promise<T | undefined> {
    const [first, behind] = this.#ahead;
    if (first?.answer === undefined || behind === undefined || first.range.to > upTo) {
      return undefined;
    }
    const { answer } = first;
    try {
      const read = await within(
        answer.then((value) => ({ value })),
        Math.max(0, until - monotonicMs()),
      );
      if (read === undefined || this.#ahead[0] !== first) return undefined;
      this.#take(first);
      return read.value;
    } catch (error) {
      // Requested again, as if nobody had waited for it.
      if (!isFinal(error)) first.answer = undefined;
      return undefined;
    }
  }

  /** Aborts all requests. */
  end(): void {
    this.#ending.abort();
    this.#ahead = [];
  }

  #take({ range }: Ahead<T>): void {
    this.#ahead.shift();
    this.#from = range.to;
  }

  #fill(upTo: number): void {
    for (;;) {
      const { blocks, isKnown } = this.#options.blocks();
      const last = this.#ahead.at(-1)?.range.to ?? this.#from;
      // Until there was a response, read a single range, which shows how wide the others may be.
      if (last >= upTo || this.#ahead.length >= (isKnown ? AT_ONCE : 1)) break;
      const range = { from: last, to: Math.min(upTo, last + blocks) };
      this.#ahead.push({ range, answer: undefined });
    }
    for (const each of this.#ahead.slice(0, AT_ONCE)) {
      if (each.answer !== undefined) continue;
      const answer = this.#options.read(each.range, this.#ending.signal);
      each.answer = answer;
      answer.catch((error: unknown) => {
        // Request it again: by the time the ranges before it are written, that may have helped.
        const isLater = this.#ahead[0] !== each && each.answer === answer;
        if (isLater && !isFinal(error)) each.answer = undefined;
      });
    }
  }
}

/** Whether `next` has to tell of it: requested again, the range may well be answered, wrongly. */
function isFinal(error: unknown): boolean {
  return isTooMuch(error) || error instanceof SourceStopped;
}

function isTooMuch(error: unknown): boolean {
  return error instanceof NodeFault && error.kind === 'too-much';
}
