import { RetryableError } from '#core/errors';
import { DAY_SECONDS } from '#core/scoring/days';
import type { Source, Start } from '#core/scoring/model';
import type { SourceInput } from '#core/scoring/reading/input';
import type { SourcePosition } from '#core/scoring/reading/store';
import type { HostPaces } from '#sources/host-pace';
import {
  type BalanceQuestion,
  type ChainSource,
  type NodeStatus,
  type ReadRequest,
  type ReadStretch,
  SourceStopped,
} from '#sources/source';
import { CompiledInputs } from './compile.ts';
import { confirmRange } from './confirm.ts';
import { balanceCall } from './decode-balance.ts';
import { RpcFault } from './faults.ts';
import { type EvmHeader, parseHeader } from './log.ts';
import { EvmNode, type EvmNodeOptions } from './node.ts';
import { EvmNodes } from './nodes.ts';
import { blockTimes, headerOf, type RangeAnswer, readLogRange } from './range.ts';
import { quantityOf } from './words.ts';

/** How often a new end is looked for: it's to be noticed within 10 s. */
const LOOK_MS = 4_000;
/** The position before the first block. */
const BEFORE_ALL: SourcePosition = { height: -1, hash: null, time: 0 };

export interface EvmSourceOptions
  extends Pick<EvmNodeOptions, 'timeoutMs' | 'maxBytes' | 'restMs'> {
  readonly source: Pick<Source, 'chain' | 'depth'>;
  /** Addresses of nodes, which are secrets: their paths and queries hold keys. */
  readonly urls: readonly URL[];
  readonly paces: HostPaces;
  readonly lookMs?: number;
}

/** A chain of the EVM, read by `eth_getLogs`. */
export class EvmSource implements ChainSource {
  readonly lookMs: number;
  readonly #nodes: EvmNodes;
  readonly #depth: number | undefined;
  #compiled: { readonly key: string; readonly inputs: CompiledInputs } | undefined;

  constructor({ source, urls, paces, lookMs = LOOK_MS, ...limits }: EvmSourceOptions) {
    const chainId = BigInt(source.chain.slice('eip155:'.length));
    this.lookMs = lookMs;
    this.#depth = source.depth;
    this.#nodes = new EvmNodes(
      urls.map((url) => new EvmNode({ url, chainId, pace: paces.of(url.host), ...limits })),
    );
  }

  async end(signal: AbortSignal): Promise<SourcePosition> {
    const ends = await this.#nodes.each(async (node) => {
      const height = await this.#endOf(node, signal);
      node.sawHeight(height);
      return height;
    });
    const heights = ends.toSorted((one, other) => other - one);
    // The highest that a second node has too.
    const height = heights[this.#nodes.needsSecond ? 1 : 0];
    if (height === undefined) {
      throw new RetryableError('Only one node answers now, and a second one is to confirm it.');
    }
    if (height < 0) return BEFORE_ALL;
    const { answer } = await this.#nodes.first((node) => headerOf(node, height, signal));
    return positionOf(answer);
  }

  async begin(since: Start, signal: AbortSignal): Promise<SourcePosition> {
    const height =
      since.kind === 'height'
        ? Number(since.height) - 1
        : await this.#lastBefore(since.day * DAY_SECONDS, signal);
    if (height < 0) return BEFORE_ALL;
    const { answer } = await this.#nodes.first((node) => headerOf(node, height, signal));
    return positionOf(answer);
  }

  async read({ inputs, from, upTo, signal }: ReadRequest): Promise<ReadStretch> {
    const compiled = this.#compile(inputs);
    const range = { from: from.height, upTo };
    const { node, answer } = await this.#nodes.first(async (each) => {
      const found = await readLogRange(each, compiled, range, signal);
      return { found, times: await blockTimes(each, found, from, signal) };
    });
    await this.#requireSameBlock(node, answer.found, from, signal);
    if (this.#nodes.needsSecond) {
      await confirmRange({
        nodes: this.#nodes,
        node,
        answer: answer.found,
        inputs: compiled,
        from,
        signal,
      });
    }
    const timeOf = ({ block }: { readonly block: number }) => answer.times.get(block) as number;
    return {
      events: compiled.events(answer.found.logs, timeOf),
      end: positionOf(answer.found.last),
    };
  }

  async balancesOf(question: BalanceQuestion): Promise<readonly bigint[] | undefined> {
    const { input, addresses, at, signal } = question;
    if (input.kind !== 'hold') return undefined;
    const calls = addresses.flatMap((address) => balanceCall(input.holding, address) ?? []);
    if (calls.length === 0) return undefined;
    const { answer } = await this.#nodes.first(async (node) => {
      try {
        const results = await node.ask(
          calls.map((call) => ({ method: 'eth_call', params: [call, quantityOf(at.height)] })),
          signal,
        );
        return results.map(balanceOf);
      } catch (error) {
        // Who has no such function keeps its balances in another way.
        if (error instanceof RpcFault && error.kind === 'reverted') return undefined;
        throw error;
      }
    });
    return answer;
  }

  nodes(): readonly NodeStatus[] {
    return this.#nodes.all.map((node) => node.status());
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.all.map((node) => node.close()));
  }

  #compile(inputs: readonly SourceInput[]): CompiledInputs {
    const key = inputs.map(({ name }) => name).join('\n');
    if (this.#compiled?.key !== key) this.#compiled = { key, inputs: new CompiledInputs(inputs) };
    return this.#compiled.inputs;
  }

  async #endOf(node: EvmNode, signal: AbortSignal): Promise<number> {
    const depth = this.#depth;
    const tag = depth === undefined ? 'finalized' : 'latest';
    const [result] = await node.ask(
      [{ method: 'eth_getBlockByNumber', params: [tag, false] }],
      signal,
    );
    if (result === null) throw new RpcFault('behind', `knows no ${tag} block yet`);
    const header = parseHeader(result);
    if (header === undefined)
      throw new RpcFault('failing', `sent something else than its ${tag} block`);
    return header.height - (depth ?? 0);
  }

  /** The height of the last block before a time; -1 when there is none. */
  async #lastBefore(time: number, signal: AbortSignal): Promise<number> {
    const end = await this.end(signal);
    if (end.time < time)
      throw new RetryableError('The chain has not come to the day of "since" yet.');
    let [low, high] = [-1, end.height];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const { answer } = await this.#nodes.first((node) => headerOf(node, middle, signal));
      if (answer.time < time) low = middle;
      else high = middle;
    }
    return low;
  }

  /** @throws SourceStopped when the block that was read last is another one now */
  async #requireSameBlock(
    node: EvmNode,
    { before }: RangeAnswer,
    { height, hash }: SourcePosition,
    signal: AbortSignal,
  ): Promise<void> {
    if (before === undefined || before.hash === hash) return;
    const others = this.#nodes.ready.filter((each) => each !== node);
    for (const other of others) {
      const known = await headerOf(other, height, signal).catch((error: unknown) => {
        if (error instanceof RpcFault) return undefined;
        throw error;
      });
      if (known?.hash !== hash) continue;
      const words = node.failed(new RpcFault('wrong', `has another block ${height} than was read`));
      throw new RetryableError(`${words}, and ${other.host} has the one that was.`);
    }
    throw new SourceStopped(
      `Block ${height} was ${hash} when it was read, and ${node.host} has ${before.hash} now. What was final has changed, or the node is of another chain. Nothing is counted and nothing deleted.`,
    );
  }
}

function positionOf({ height, hash, time }: EvmHeader): SourcePosition {
  return { height, hash, time };
}

function balanceOf(result: unknown): bigint {
  if (typeof result !== 'string' || !/^0x[0-9a-f]{64}$/i.test(result)) {
    throw new RpcFault('failing', 'sent something else than a balance');
  }
  return BigInt(result);
}
