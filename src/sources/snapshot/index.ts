import { DAY_SECONDS, formatTime, RetryableError, wallSeconds } from '#base';
import type { SourceInput, SourcePosition, Start } from '#scoring';
import { type AnswerComparison, eventDifference } from '#sources/node/disagreement';
import { type NodePool, type NodeSourceOptions, openPool } from '#sources/node/pool';
import type { ChainEnd, ChainSource, NodeStatus, ReadRequest, ReadStretch } from '#sources/source';
import { newestEnd } from './hub.ts';
import { type ClosedVotes, readVotes } from './read-votes.ts';

/** Hubs accept 100 requests a minute without an API key. */
const LOOK_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** A hub accepts votes until the last second, checks them for a while, and only then shows them. */
const SETTLES_S = 120;

export interface SnapshotOptions extends NodeSourceOptions {
  /** Raises a hub's limits; never shown. */
  readonly apiKey?: string | undefined;
  /** Seconds since 1970. */
  readonly wall?: () => number;
}

/** Votes in Snapshot spaces, read from hubs once their proposals are closed. */
export class SnapshotSource implements ChainSource {
  readonly lookMs = LOOK_MS;
  readonly #pool: NodePool;
  readonly #id: string;
  readonly #wall: () => number;
  /** The end of the newest proposal that a hub was seen to have closed, which tells the time: our clock may be wrong. */
  #newest = 0;

  constructor({ apiKey, wall = wallSeconds, ...options }: SnapshotOptions) {
    const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    this.#id = options.id;
    this.#wall = wall;
    this.#pool = openPool(options, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, headers });
  }

  /** The end of the newest closed proposal of any space: all that ended before are closed, too. */
  async end(signal: AbortSignal): Promise<ChainEnd> {
    const before = this.#wall() - SETTLES_S;
    const found = await this.#pool.head(async (call) => {
      const end = await newestEnd(call, before);
      if (end === undefined) throw call.fault('behind', 'has no closed proposal');
      return positionAt(end);
    }, signal);
    this.#newest = Math.max(this.#newest, found.height);
    return found;
  }

  async begin(since: Start): Promise<SourcePosition> {
    const start = since.kind === 'day' ? since.day * DAY_SECONDS : Number(since.height);
    if (start > this.#wall()) {
      throw new RetryableError(`Reading ${this.#id} starts on a day that hasn't come yet.`);
    }
    return positionAt(Math.max(0, start - 1));
  }

  async read({ inputs, from, upTo, signal }: ReadRequest): Promise<ReadStretch> {
    const wanted = inputs.map(voteOf);
    if (this.#newest < upTo) await this.end(signal);
    const now = Math.max(upTo, this.#newest);
    const { events, to, leftOut } = await this.#pool.agreed(
      (call) => readVotes(call, wanted, from.height, upTo, now),
      votesComparison(from.height, upTo),
      signal,
    );
    return { events, leftOut, end: positionAt(to) };
  }

  /** Votes aren't balances. */
  async balancesOf(): Promise<undefined> {
    return undefined;
  }

  nodes(): readonly NodeStatus[] {
    return this.#pool.status();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Here, a height is a second, and its time is that second. */
function positionAt(seconds: number): SourcePosition {
  return { height: seconds, hash: null, time: seconds };
}

function votesComparison(from: number, upTo: number): AnswerComparison<ClosedVotes> {
  const at = (first: number, last: number) =>
    first === last
      ? `proposals that closed at ${formatTime(first)}`
      : `proposals that closed between ${formatTime(first)} and ${formatTime(last)}`;
  return {
    about: at(from + 1, upTo),
    // A hub that hasn't counted the newest votes yet isn't wrong about those before.
    differenceOf(one, other) {
      const to = Math.min(one.to, other.to);
      const counted = ({ events }: ClosedVotes) => events.filter(({ height }) => height <= to);
      return eventDifference(counted(one), counted(other), at);
    },
    vouchedFor: (one, other) => (one.to <= other.to ? one : other),
  };
}

function voteOf(input: SourceInput): Extract<SourceInput, { kind: 'vote' }> {
  if (input.kind === 'vote') return input;
  throw new Error(`${input.name} isn't of Snapshot`);
}
