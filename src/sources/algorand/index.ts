import Type from 'typebox';
import { DAY_SECONDS } from '#base';
import type { SourcePosition, Start } from '#scoring';
import { answerCheck } from '#sources/node/answer-schema';
import {
  type AnswerComparison,
  eventDifference,
  heightsOf,
  positionComparison,
} from '#sources/node/disagreement';
import { NodeFault, unableForOne } from '#sources/node/fault';
import type { NodeCall } from '#sources/node/node';
import { type NodePool, type NodeSourceOptions, type NodeWork, openPool } from '#sources/node/pool';
import {
  CHAIN_STALL_MS,
  type ChainEnd,
  type ChainSource,
  type NodeStatus,
  type ReadRequest,
  type ReadStretch,
  type TokenUnit,
  UNIT_COMPARISON,
} from '#sources/source';
import { firstHeightAt, requireReached } from '#sources/starts';
import { newestRound, type Rounds, requireKept, roundAt } from './indexer.ts';
import { type AlgorandRange, readRange } from './read-range.ts';

const checkAsset = answerCheck(
  Type.Object({
    asset: Type.Object({
      params: Type.Object({
        decimals: Type.Integer({ minimum: 0, maximum: 19 }),
        // Absent if it isn't UTF-8.
        'unit-name': Type.Optional(Type.String({ maxLength: 64 })),
      }),
    }),
  }),
);

/** What an asset says of itself; undefined if there's none. @throws NodeFault */
async function assetUnit(call: NodeCall, asset: string): Promise<TokenUnit | undefined> {
  const { status, json } = await call.ask({ path: `/v2/assets/${asset}`, isWhole: true });
  if (status === 404) return undefined;
  if (status !== 200) throw call.fault('refused', `answered with ${status}`);
  const { params } = call.check(checkAsset, json).asset;
  return { symbol: params['unit-name'] ?? '', decimals: params.decimals };
}

const POLL_MS = 5_000;
/** Fits a page of 1,000 transactions with long arguments and many inner transactions. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const FIRST_WIDTH = 10_000;
const MOST_WIDTH = 10_000_000;

/** Events on Algorand, read from indexers. */
export class AlgorandSource implements ChainSource {
  readonly pollMs = POLL_MS;
  readonly stallMs = CHAIN_STALL_MS;
  readonly #pool: NodePool;
  readonly #id: string;
  readonly #width = new RangeWidth(FIRST_WIDTH, MOST_WIDTH);

  constructor(options: NodeSourceOptions) {
    this.#id = options.id;
    this.#pool = openPool(options, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
  }

  async end(signal: AbortSignal): Promise<ChainEnd> {
    return await this.#pool.head(newestRound, signal);
  }

  async begin(since: Start, signal: AbortSignal): Promise<SourcePosition> {
    const head = await this.end(signal);
    requireReached(since, head, this.#id, 'round');
    const timeOf = async (round: number) => (await this.#roundAt(round, signal)).time;
    const first =
      since.kind === 'height'
        ? Number(since.height)
        : await firstHeightAt(since.day * DAY_SECONDS, 0, head.height, timeOf);
    return await this.#roundAt(Math.max(0, first - 1), signal);
  }

  async read({ inputs, from, upTo, signal }: ReadRequest): Promise<ReadStretch> {
    return await this.#width.shrinking(from.height, upTo, async (to, wrap) => {
      const rounds = { from: from.height + 1, to };
      const read = wrap(async (call) => {
        await requireKept(call, rounds, upTo);
        return await readRange(call, inputs, rounds);
      });
      const { events, misfits: leftOut } = await this.#pool.agreed(
        read,
        rangeComparison(rounds),
        signal,
      );
      return { events, leftOut, end: await this.#roundAt(to, signal) };
    });
  }

  /** Assets change hands by transfers only, and indexers don't serve past balances. */
  async balancesOf(): Promise<undefined> {
    return undefined;
  }

  async tokenUnit(
    asset: string,
    _symbol: string | undefined,
    signal: AbortSignal,
  ): Promise<TokenUnit | undefined> {
    const read = (call: NodeCall) => call.again(() => assetUnit(call, asset));
    return await this.#pool.agreed(read, UNIT_COMPARISON, signal);
  }

  nodes(): readonly NodeStatus[] {
    return this.#pool.status();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #roundAt(round: number, signal: AbortSignal): Promise<SourcePosition> {
    const comparison = positionComparison('round', round);
    return await this.#pool.agreed((call) => roundAt(call, round), comparison, signal);
  }
}

function rangeComparison({ from, to }: Rounds): AnswerComparison<AlgorandRange> {
  const at = heightsOf('round');
  return {
    about: at(from, to),
    differenceOf: (one, other) => eventDifference(one.events, other.events, at),
  };
}

/** How many heights to request at once, found by trial. */
class RangeWidth {
  readonly #most: number;
  #width: number;

  constructor(first: number, most: number) {
    this.#width = first;
    this.#most = most;
  }

  /**
   * Reads a range, halving it while it's too much for a node. A single height can't get smaller, so there the
   * node itself is at fault.
   * @param from the height that the range starts after
   * @param read reads a range up to a height
   */
  async shrinking<T>(
    from: number,
    upTo: number,
    read: (to: number, wrap: WrapWork) => Promise<T>,
  ): Promise<T> {
    while (true) {
      const to = Math.min(upTo, from + this.#width);
      const asked = to - from;
      try {
        const value = await read(to, asked === 1 ? blamingNode : (work) => work);
        // A range shorter than the width says nothing about a longer one.
        if (asked === this.#width) this.#width = Math.min(this.#most, this.#width * 2);
        return value;
      } catch (error) {
        if (!(error instanceof NodeFault) || error.kind !== 'too-much') throw error;
        this.#width = Math.max(1, Math.floor(asked / 2));
      }
    }
  }
}

type WrapWork = <T>(work: NodeWork<T>) => NodeWork<T>;

const blamingNode: WrapWork = (work) => async (call) => {
  try {
    return await work(call);
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'too-much') throw error;
    throw unableForOne(error, 'height');
  }
};
