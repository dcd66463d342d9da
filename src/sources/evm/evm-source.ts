import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BackoffRange, DAY_SECONDS, monotonicMs, RetryableError } from '#base';
import {
  isAskedDaily,
  type Source,
  type SourceEvent,
  type SourceInput,
  type SourcePosition,
  type Start,
} from '#scoring';
import type { HostPaces } from '#sources/host-pace';
import { positionComparison } from '#sources/node/disagreement';
import type { NodeCall } from '#sources/node/node';
import { type NodePool, openPool } from '#sources/node/pool';
import {
  type BalanceQuestion,
  CHAIN_STALL_MS,
  type ChainEnd,
  type ChainSource,
  type NodeStatus,
  REREAD_ADVICE,
  type ReadRequest,
  type ReadStretch,
  SourceStopped,
  type TokenUnit,
  UNIT_COMPARISON,
} from '#sources/source';
import { firstHeightAt, requireReached } from '#sources/starts';
import { askBalances, balanceCall } from './balances.ts';
import { balanceComparison, rangeComparison, timesComparison } from './comparisons.ts';
import { CompiledInputs } from './compile.ts';
import { type ContractSample, sampleContract } from './contract/sample-contract.ts';
import { readTokenUnit } from './contract/token-unit.ts';
import {
  type ContractFacts,
  type ContractQuestion,
  inspectContract,
  newestEvents,
} from './inspect/inspect-contract.ts';
import type { EvmHeader, RangeAnswer } from './log.ts';
import { finalHeader, headerOf, headerTimes, loggedTimes } from './node/headers.ts';
import { type BlockRange, readLogs } from './node/range.ts';
import { ReadAhead } from './node/read-ahead.ts';
import { EvmRpc } from './node/rpc.ts';
import { LogRangeWidth } from './node/width.ts';

/** Events that are enough for one commit: while it's written, other writers wait. */
const ENOUGH = 10_000;
/** How long to wait for as many. */
const WAIT_MS = 500;

/** What a range was read for. Its logs would take several times the memory until it's written. */
export interface EventRange extends Omit<RangeAnswer, 'logs'> {
  readonly events: readonly SourceEvent[];
  /** How many logs didn't fit what an input declares, by input. */
  readonly leftOut: readonly number[];
}

/**
 * A range, with those behind it that are being read anyway: a commit touches pages all over the evidence, so one
 * for several ranges costs far less.
 * @throws SourceStopped if they aren't of one chain. Read again one by one, they might pass for it
 */
export async function gathered(
  first: EventRange,
  ahead: ReadAhead<EventRange>,
  upTo: number,
  nodes: () => readonly NodeStatus[],
): Promise<EventRange> {
  const until = monotonicMs() + WAIT_MS;
  const events = [...first.events];
  const leftOut = [...first.leftOut];
  let { last } = first;
  while (events.length < ENOUGH) {
    const next = await ahead.soon(upTo, until);
    if (next === undefined) break;
    if (next.before !== undefined && next.before.hash !== last.hash) {
      ahead.end();
      throw changed(positionOf(last), next.before, nodes());
    }
    for (const event of next.events) events.push(event);
    for (const [place, count] of next.leftOut.entries()) {
      leftOut[place] = (leftOut[place] ?? 0) + count;
    }
    last = next.last;
  }
  return { before: first.before, last, events, leftOut };
}

/** How often to look for a new head; it must be noticed within 10 s. */
const POLL_MS = 4_000;
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** Sets of inputs at the same height, read in turns: those of live rules, and new ones. */
const LANES_MOST = 4;
/** Logs that are decoded before the process does something else, for some milliseconds. */
const DECODED_AT_ONCE = 500;
/** How long to look for a contract's newest logs. */
const SAMPLED_MS = 3_000;
/** The position before the first block. */
const BEFORE_ALL: SourcePosition = { height: -1, hash: null, time: 0 };

export interface EvmSourceOptions {
  readonly source: Pick<Source, 'id' | 'chain' | 'depth'>;
  /** The nodes' URLs. Secret: their paths and queries may hold keys. */
  readonly urls: readonly URL[];
  /** The environment variables that they're from. */
  readonly variables?: readonly string[];
  readonly paces: HostPaces;
  /** For tests. */
  readonly pollMs?: number;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly restMs?: BackoffRange;
}

interface EvmLane {
  readonly inputs: CompiledInputs;
  ahead: ReadAhead<EventRange> | undefined;
}

/** An EVM chain, read with `eth_getLogs`. */
export class EvmSource implements ChainSource {
  readonly pollMs: number;
  readonly stallMs = CHAIN_STALL_MS;
  readonly #id: string;
  /** A height that the chain has reached. */
  #known = -1;
  readonly #pool: NodePool;
  readonly #rpc: EvmRpc;
  readonly #depth: number | undefined;
  readonly #maxBytes: number | undefined;
  readonly #lanes = new Map<string, EvmLane>();

  constructor(options: EvmSourceOptions) {
    const { source, urls, variables, paces, restMs, pollMs = POLL_MS, ...limits } = options;
    const { id, chain, depth } = source;
    const { maxBytes, timeoutMs = TIMEOUT_MS } = limits;
    this.#id = id;
    this.pollMs = pollMs;
    this.#depth = depth;
    this.#maxBytes = maxBytes;
    this.#rpc = new EvmRpc(BigInt(chain.slice('eip155:'.length)));
    this.#pool = openPool(
      { id, urls, variables, paces, restMs },
      { maxBytes: MAX_BYTES, timeoutMs, parse: JSON.parse },
    );
  }

  async end(signal: AbortSignal): Promise<ChainEnd> {
    const end = await this.#pool.head(
      async (call) => positionOf(await call.again(() => finalHeader(call, this.#rpc, this.#depth))),
      signal,
    );
    this.#known = Math.max(this.#known, end.height);
    return end;
  }

  async begin(since: Start, signal: AbortSignal): Promise<SourcePosition> {
    const height =
      since.kind === 'height' ? Number(since.height) - 1 : await this.#lastBefore(since, signal);
    if (height > this.#known) {
      // Asked for a block that is still to come, nodes would seem to be at fault.
      const end = await this.end(signal);
      if (end.height < height) requireReached(since, end, this.#id, 'block');
    }
    return await this.#positionAt(height, signal);
  }

  async read({ inputs, from, upTo, signal }: ReadRequest): Promise<ReadStretch> {
    const lane = this.#laneOf(inputs);
    if (lane.ahead?.continues(from.height, upTo) !== true) {
      lane.ahead?.end();
      lane.ahead = this.#readAhead(lane.inputs, from.height);
    }
    // Requests under way outlive this signal: the next read needs their responses.
    const first = await lane.ahead.next(upTo);
    signal.throwIfAborted();
    const { before } = first;
    if (before !== undefined && before.hash !== from.hash) {
      lane.ahead.end();
      throw changed(from, before, this.#pool.status());
    }
    const { events, leftOut, last } = await gathered(first, lane.ahead, upTo, () => this.nodes());
    signal.throwIfAborted();
    return { events, leftOut, end: positionOf(last) };
  }

  async balancesOf(question: BalanceQuestion): Promise<readonly bigint[] | undefined> {
    const { input, addresses, at, isThere = false, signal } = question;
    if (input.kind !== 'hold') return undefined;
    const { height } = at;
    // Before the first block.
    if (height < 0) return addresses.map(() => 0n);
    const calls = addresses.flatMap((address) => balanceCall(input.holding, address) ?? []);
    if (calls.length === 0) return undefined;
    return await this.#pool.agreed(
      (call) => call.again(() => askBalances(call, this.#rpc, { calls, height, isThere })),
      balanceComparison(addresses, height),
      signal,
    );
  }

  async sample(input: SourceInput, signal: AbortSignal): Promise<ContractSample | undefined> {
    const until = performance.now() + SAMPLED_MS;
    const { height } = await this.end(signal);
    const sample = await this.#pool.ask(
      (call) => sampleContract(call, this.#rpc, input, height, until),
      signal,
    );
    if (sample === undefined || !isAskedDaily(input)) return sample;
    const at = await this.begin(input.since, signal);
    const question = { input, addresses: [sample.contract], at, signal };
    const fault = await this.balancesOf(question).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (fault !== undefined && !(fault instanceof RetryableError)) throw fault;
    return fault === undefined ? sample : { ...sample, balances: fault.message };
  }

  async tokenUnit(
    token: string,
    symbol: string | undefined,
    signal: AbortSignal,
  ): Promise<TokenUnit | undefined> {
    const read = (call: NodeCall) => readTokenUnit(call, this.#rpc, token, symbol);
    return await this.#pool.agreed((call) => call.again(() => read(call)), UNIT_COMPARISON, signal);
  }

  async inspect(question: ContractQuestion, signal: AbortSignal): Promise<ContractFacts> {
    const { height } = await this.end(signal);
    return await this.#pool.ask(
      (call) => inspectContract(call, this.#rpc, question, height),
      signal,
    );
  }

  async newestEvents(input: SourceInput, signal: AbortSignal): Promise<readonly SourceEvent[]> {
    const until = performance.now() + SAMPLED_MS;
    const { height } = await this.end(signal);
    return await this.#pool.ask(
      (call) => newestEvents(call, this.#rpc, input, height, until),
      signal,
    );
  }

  nodes(): readonly NodeStatus[] {
    return this.#pool.status();
  }

  async close(): Promise<void> {
    for (const { ahead } of this.#lanes.values()) ahead?.end();
    await this.#pool.close();
  }

  #laneOf(inputs: readonly SourceInput[]): EvmLane {
    const key = inputs.map(({ name }) => name).join('\n');
    const known = this.#lanes.get(key) ?? { inputs: new CompiledInputs(inputs), ahead: undefined };
    // Move it to the end, so that the least recently read lane goes first.
    this.#lanes.delete(key);
    this.#lanes.set(key, known);
    for (const [oldest, { ahead }] of this.#lanes) {
      if (this.#lanes.size <= LANES_MOST) break;
      ahead?.end();
      this.#lanes.delete(oldest);
    }
    return known;
  }

  #readAhead(inputs: CompiledInputs, from: number): ReadAhead<EventRange> {
    return new ReadAhead({
      from,
      blocks: () => this.#blocksAtOnce(),
      read: (range, signal) => this.#readRange(inputs, range, signal),
    });
  }

  /** The narrowest of what the nodes now in use can serve. */
  #blocksAtOnce(): { readonly blocks: number; readonly isKnown: boolean } {
    const widths = this.#pool.asked.map((node) => this.#rpc.of(node).width);
    const blocks = Math.min(...widths.map((each) => each.blocks), LogRangeWidth.MOST);
    return { blocks, isKnown: widths.every((each) => each.isProven(blocks)) };
  }

  async #readRange(
    inputs: CompiledInputs,
    range: BlockRange,
    signal: AbortSignal,
  ): Promise<EventRange> {
    const question = { rpc: this.#rpc, inputs, maxBytes: this.#maxBytes };
    const answer = await this.#pool.agreed(
      async (call) => {
        const read = await call.again(() => readLogs(call, question, range));
        const { widest } = this.#rpc.of(call.node).width;
        if (widest !== undefined) this.#pool.noteWidest(call.node, widest);
        return read;
      },
      rangeComparison(range),
      signal,
    );
    // Not every node puts times in its logs, and those that do may be wrong.
    const times =
      loggedTimes(answer) ??
      (await this.#pool.agreed(
        (call) => call.again(() => headerTimes(call, this.#rpc, answer)),
        timesComparison(range),
        signal,
      ));
    const { before, last, logs } = answer;
    const timeOf = ({ block }: { readonly block: number }) => times.get(block) as number;
    const events: SourceEvent[] = [];
    const leftOut: number[] = [];
    for (let from = 0; from < logs.length; from += DECODED_AT_ONCE) {
      await nextTurn();
      const part = logs.slice(from, from + DECODED_AT_ONCE);
      for (const event of inputs.events(part, timeOf, leftOut)) events.push(event);
    }
    return { before, last, events, leftOut: Array.from(leftOut, (count) => count ?? 0) };
  }

  async #positionAt(height: number, signal: AbortSignal): Promise<SourcePosition> {
    if (height < 0) return BEFORE_ALL;
    return await this.#pool.agreed(
      async (call) => positionOf(await call.again(() => headerOf(call, this.#rpc, height))),
      positionComparison('block', height),
      signal,
    );
  }

  /** The height of the last block before a time; -1 if there's none. */
  async #lastBefore(since: Start & { readonly kind: 'day' }, signal: AbortSignal): Promise<number> {
    const end = await this.end(signal);
    requireReached(since, end, this.#id, 'block');
    const time = since.day * DAY_SECONDS;
    const timeOf = async (height: number) => (await this.#positionAt(height, signal)).time;
    return (await firstHeightAt(time, -1, end.height, timeOf)) - 1;
  }
}

function positionOf(header: EvmHeader | undefined): SourcePosition {
  if (header === undefined) return BEFORE_ALL;
  const { height, hash, time } = header;
  return { height, hash, time };
}

function changed(
  { height, hash }: SourcePosition,
  now: EvmHeader,
  nodes: readonly NodeStatus[],
): SourceStopped {
  const names = nodes
    .filter(({ state }) => state === 'ok')
    .map(({ host, variable }) => (variable === undefined ? host : `${variable} (${host})`));
  return new SourceStopped(
    `Block ${height} was ${hash} when it was read, and is ${now.hash} now by ${names.join(' and ')}. What was final has changed, or the nodes are of another chain. Nothing is counted and nothing deleted. ${REREAD_ADVICE}`,
  );
}
