import type { Logger } from '#base';
import type { InputState, SourcePosition } from '#scoring';

/** The state of reading a source, for operators. */
export interface ReaderStatus {
  readonly state: 'starting' | 'standby' | 'reading' | 'following' | 'waiting' | 'stopped';
  /** The position that all wanted inputs have reached. */
  readonly position: SourcePosition | undefined;
  /** The newest final position. */
  readonly end: SourcePosition | undefined;
  /** Heights per second. */
  readonly pace: number | undefined;
  /** Seconds to the end at that pace. */
  readonly remainingSeconds: number | undefined;
  /** Events left out since the start because they name no wallet or don't fit what a rule declares. */
  readonly leftOut: number;
  /** Balances of live rules that aren't the chain's, so that they give no points. */
  readonly refused: number;
  /** Inputs that wait alone, as the chain hasn't reached their start, or no node tells it. */
  readonly unbegun: number;
  /** Why it waits or has stopped, as a sentence. */
  readonly words: string | undefined;
}

/** Time between two lines. */
const LOG_EVERY_MS = 10_000;
/** A source that is read this close to its end is followed, and that isn't progress. */
const NEAR_S = 10;
/** One this far from it is being read again. */
const FAR_S = 60;

/** Logs now and then how far a source is read, until it is near its end. */
export class ProgressLog {
  readonly #log: Logger;
  readonly #source: string;
  #loggedAt = performance.now();
  #isNear = false;

  constructor(log: Logger, source: string) {
    this.#log = log;
    this.#source = source;
  }

  log({ height }: SourcePosition, status: ReaderStatus): void {
    if (this.#follows(height, status)) return;
    if (performance.now() - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = performance.now();
    const { pace, remainingSeconds, end, leftOut } = status;
    this.#log.info(
      {
        ...{ source: this.#source, height, end: end?.height },
        ...(leftOut > 0 && { leftOut }),
        ...{ perSecond: pace && Math.round(pace) },
        ...{ secondsLeft: remainingSeconds && Math.round(remainingSeconds) },
      },
      `reading ${this.#source}`,
    );
  }

  #follows(height: number, { end, remainingSeconds = Number.POSITIVE_INFINITY }: ReaderStatus) {
    if (end === undefined) return false;
    const left = height >= end.height ? 0 : remainingSeconds;
    if (!this.#isNear && left <= NEAR_S) {
      this.#isNear = true;
      this.#log.info(
        { source: this.#source, height, end: end.height },
        `${this.#source} is read ${height < end.height ? 'nearly ' : ''}to its end and followed from here on`,
      );
    } else if (left > FAR_S) this.#isNear = false;
    return this.#isNear;
  }
}

/** The window over which the pace is measured. */
const WINDOW_MS = 60_000;

/** How many heights per second were read lately. */
export class Pace {
  readonly #now: () => number;
  #samples: { readonly at: number; readonly heights: number }[] = [];
  #since: number | undefined;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  add(heights: number): void {
    const at = this.#now();
    this.#since ??= at;
    this.#samples.push({ at, heights });
    const from = at - WINDOW_MS;
    while ((this.#samples[0]?.at ?? at) < from) this.#since = this.#samples.shift()?.at;
  }

  /** Nothing is being read, for a reason that says nothing about the pace. */
  pause(): void {
    this.#samples = [];
    this.#since = undefined;
  }

  /** Undefined before anything was read. */
  perSecond(): number | undefined {
    const last = this.#samples.at(-1);
    if (last === undefined || this.#since === undefined || last.at <= this.#since) return undefined;
    const heights = this.#samples.reduce((sum, each) => sum + each.heights, 0);
    return (heights * 1_000) / (last.at - this.#since);
  }
}

/** Says in the log, once for each input, that it leaves something out or has found nothing. */
export class InputTraces {
  readonly #log: Logger;
  readonly #source: string;
  readonly #reported = new Set<string>();

  constructor(log: Logger, source: string) {
    this.#log = log;
    this.#source = source;
  }

  /** @param leftOut what was left out of a range, in the order of the inputs' names */
  read(inputs: readonly string[], leftOut: readonly number[]): void {
    for (const [place, name] of inputs.entries()) {
      if (!leftOut[place]) continue;
      this.#say(
        name,
        "Events are left out: they don't fit what a rule declares, or name no wallet",
      );
    }
  }

  /** @param states of inputs of live rules, when all that there is has been read */
  atEnd(states: readonly InputState[]): void {
    for (const { name, events, leftOut } of states) {
      if (events + leftOut === 0) this.#say(name, 'Nothing that a rule is about was found so far');
    }
  }

  #say(input: string, words: string): void {
    const key = `${words} ${input}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#log.warn({ source: this.#source, input }, `${words}; "fathom sources" says more`);
  }
}

/** Inputs at the same height, and what to read for them next. */
export interface Lane {
  readonly inputs: readonly InputState[];
  readonly from: SourcePosition;
  readonly upTo: number;
}

/**
 * Picks what to read next. Inputs at the same height are read together; those that are behind are read up to
 * the others and go on with them from there. Inputs of live rules come first, so that adding a rule doesn't
 * hold up the others.
 * @param states of the source's inputs that are wanted
 * @param isLive whether a live rule needs an input
 * @param end the newest final height
 * @returns undefined if all have reached the end
 */
export function nextRangeOf(
  states: readonly InputState[],
  isLive: (name: string) => boolean,
  end: number,
): Lane | undefined {
  const behind = states.filter(({ position }) => position.height < end);
  const live = behind.filter(({ name }) => isLive(name));
  const [first] = (live.length > 0 ? live : behind).toSorted(
    (one, other) => one.position.height - other.position.height,
  );
  if (first === undefined) return undefined;
  const { position: from } = first;
  const inputs = states.filter(
    ({ position }) => position.height === from.height && position.hash === from.hash,
  );
  const ahead = states.map(({ position }) => position.height).filter((each) => each > from.height);
  return { inputs, from, upTo: Math.min(end, ...ahead) };
}
