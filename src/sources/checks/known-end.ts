import { DAY_SECONDS, formatTime, wallSeconds } from '#base';
import type { SourcePosition } from '#scoring';
import type { Degradations } from '#sources/reading/degradations';
import type { ChainEnd, ChainSource, NodeStatus } from '#sources/source';

/** How far apart nodes may be, in the chain's time. */
const LAG_S = 3_600;
/** How far an end may go back if one address leads to several nodes. */
const FLIP_S = 60;
/** How many of the last ends are remembered. */
const RECENT = 8;

/** How far a source goes, as its nodes say, and whether that is as far as its chain goes. */
export class KnownEnd {
  readonly #source: string;
  readonly #chain: Pick<ChainSource, 'nodes' | 'stallMs'>;
  readonly #degradations: Degradations;
  #agreed: ChainEnd | undefined;
  readonly #recent: SourcePosition[] = [];
  #isDoubted = false;
  /** For how many more polls an end that went back still counts. */
  #flips = 0;
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(
    source: string,
    chain: Pick<ChainSource, 'nodes' | 'stallMs'>,
    degradations: Degradations,
  ) {
    this.#source = source;
    this.#chain = chain;
    this.#degradations = degradations;
  }

  /**
   * Up to where to read: where nodes agree, which never goes back; undefined before they first agree. While it's
   * in doubt, the lowest of the recent ends.
   */
  get readable(): SourcePosition | undefined {
    if (this.#agreed === undefined || !this.#isDoubted) return this.#agreed;
    return [this.#agreed, ...this.#recent].reduce((least, each) =>
      each.height < least.height ? each : least,
    );
  }

  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  /** Call it when reading has failed: perhaps a node lost what it knew a moment ago. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** Call it once all that's readable was read. */
  trust(): void {
    this.#isDoubted = false;
  }

  /**
   * @param read how far the source was ever read
   * @returns the newest position: where nodes agree, or that of the one that's ahead
   */
  update(end: ChainEnd, read: SourcePosition = end): SourcePosition {
    const known = this.#agreed;
    const isBack = this.#noteBack(
      known === undefined || read.height > known.height ? read : known,
      end,
    );
    if (!isBack) this.#noteFlip(known, end);
    if (known === undefined || end.height > known.height) {
      this.#agreed = end;
      this.#movedAt = performance.now();
    }
    const agreed = this.#agreed ?? end;
    this.#recent.push(end);
    if (this.#recent.length > RECENT) this.#recent.shift();
    const { newest = end } = end;
    this.#noteLag(end, newest);
    this.#noteStall(read.height > agreed.height ? read : agreed, newest);
    return newest.height > agreed.height ? newest : agreed;
  }

  #noteLag(end: SourcePosition, newest: SourcePosition): void {
    const isInStep = newest.time - end.time <= LAG_S;
    if (isInStep)
      this.#degradations.resolve('lag', `The nodes of ${this.#source} are in step again`);
    else this.#degradations.report('lag', lagWords(end, newest, this.#chain.nodes()));
  }

  /**
   * A source that may be quiet is never said to stall, but it doesn't know less than before either.
   * @returns whether it does
   */
  #noteBack(known: SourcePosition, { newest, time }: ChainEnd): boolean {
    if (this.#chain.stallMs !== undefined) return false;
    const now = newest?.time ?? time;
    const isBack = known.time - now > LAG_S;
    // Not a failure: what was read stays.
    if (isBack)
      this.#degradations.report('back', backWords(known.time, now, this.#chain.nodes()), Infinity);
    else this.#degradations.resolve('back', `${this.#source} knows again what was read`);
    return isBack;
  }

  #noteFlip(known: SourcePosition | undefined, end: SourcePosition): void {
    if (known !== undefined && known.time - end.time > FLIP_S) {
      this.#flips = RECENT;
      // Not a failure: what is known is read.
      this.#degradations.report(
        'flip',
        flipWords(this.#source, known, end, this.#chain.nodes()),
        Number.POSITIVE_INFINITY,
      );
    } else if (this.#flips > 0) {
      this.#flips -= 1;
      if (this.#flips === 0)
        this.#degradations.resolve('flip', `The nodes of ${this.#source} are steady again`);
    }
  }

  /** @param known how far the chain is known to go @param newest what a node says now */
  #noteStall(known: SourcePosition, newest: SourcePosition): void {
    if (this.#chain.stallMs === undefined) return;
    const words = this.#stallWords(known, newest, this.#chain.stallMs);
    if (words !== undefined) this.#degradations.report('stall', words);
    else this.#degradations.resolve('stall', `The nodes of ${this.#source} are up to date again`);
  }

  /**
   * The system clock may be wrong, so we also measure for how long we have seen no new end. But only that clock
   * shows that nodes stopped before we began to poll, or are still syncing; if it's wrong, scores are doubted
   * for nothing.
   */
  #stallWords(known: SourcePosition, newest: SourcePosition, stallMs: number): string | undefined {
    const nodes = this.#chain.nodes();
    if (known.time - newest.time > LAG_S) return fallenBackWords(known, newest, nodes);
    if (isOld(newest)) return oldWords(newest, nodes);
    const isStalled = newest.height <= known.height && performance.now() - this.#movedAt >= stallMs;
    return isStalled ? stallWords(known, nodes) : undefined;
  }
}

/** Chains take minutes or hours until a block is final; no more than a day. */
export function isOld({ time }: SourcePosition): boolean {
  return wallSeconds() - time > DAY_SECONDS;
}

/** Which nodes are behind, and by how much. */
function lagWords(
  agreed: SourcePosition,
  newest: SourcePosition,
  nodes: readonly NodeStatus[],
): string {
  const late = nodes.filter(({ height }) => height !== undefined && height < newest.height);
  const verb = late.length > 1 ? 'know' : 'knows';
  return `${namesOf(late)} ${verb} the chain only up to ${at(agreed)}, another node up to ${at(newest)}. Newer blocks count once a second node reports them.`;
}

function flipWords(
  source: string,
  known: SourcePosition,
  end: SourcePosition,
  nodes: readonly NodeStatus[],
): string {
  const confirmed = nodes.length > 1 ? 'two nodes give it' : 'it is given again';
  return `The nodes of ${source} knew the chain up to ${at(known)}, and then only up to ${at(end)}; perhaps an address leads to several nodes. What they know each time is read, and what is newer counts once ${confirmed}.`;
}

function stallWords(agreed: SourcePosition, nodes: readonly NodeStatus[]): string {
  return `According to ${namesOf(nodes)}, nothing newer than ${at(agreed)} has become final for an hour. Check whether nodes have stopped syncing.`;
}

function fallenBackWords(
  known: SourcePosition,
  newest: SourcePosition,
  nodes: readonly NodeStatus[],
): string {
  return `According to ${namesOf(nodes)}, the newest final block is ${at(newest)}, but ${at(known)} was final before. Check whether nodes have fallen behind.`;
}

function backWords(known: number, now: number, nodes: readonly NodeStatus[]): string {
  return `According to ${namesOf(nodes)}, what ended last did so at ${formatTime(now)}, but what ended up to ${formatTime(known)} was read. That stays, and reading goes on with what ends later. Check whether it has fallen behind, or lost what it had.`;
}

function oldWords(newest: SourcePosition, nodes: readonly NodeStatus[]): string {
  return `According to ${namesOf(nodes)}, the newest final block is ${at(newest)}, more than a day before the system clock. Check whether nodes have stopped or are still syncing, and whether the clock is right.`;
}

function namesOf(nodes: readonly NodeStatus[]): string {
  return nodes
    .map(({ host, variable }) => (variable === undefined ? host : `${variable} (${host})`))
    .join(' and ');
}

function at({ height, time }: SourcePosition): string {
  return `${height} (${formatTime(time)})`;
}
