import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/** A log of the made-up chain. */
export interface ChainLog {
  readonly block: number;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The first block's time in seconds since 1970, if a test sets none, and the seconds between blocks. */
const GENESIS = 1_600_000_000;
export const BLOCK_S = 12;

/** A chain: what its nodes say if they work correctly. */
export class EvmChain {
  readonly id: number;
  head: number;
  readonly logs: ChainLog[];
  /** From this height on, blocks have other hashes. */
  forkedAt = Number.POSITIVE_INFINITY;
  genesis = GENESIS;
  /** What its contracts answer about balances at the end of a block; undefined: as each node is told to. */
  balanceOf: ((owner: string, block: number) => bigint | undefined) | undefined;
  /** The code of contracts, by lowercase address; any other that has logged something has some, too. */
  readonly codes = new Map<string, string>();
  /** What contracts store and return, by lowercase `address slot` and `address data`. */
  readonly storage = new Map<string, string>();
  readonly returns = new Map<string, string>();
  /** Heights at which a round passed without a block. */
  readonly rounds = new Set<number>();

  constructor(head: number, logs: readonly ChainLog[] = [], id = 1) {
    this.head = head;
    this.logs = logs.toSorted((a, b) => a.block - b.block);
    this.id = id;
  }

  hashOf(block: number): string {
    return `0x${hash('sha256', `${this.id} ${block} ${block >= this.forkedAt}`)}`;
  }

  header(block: number): object {
    // We only look at whether there's anything in it.
    const hasLogs = this.logs.some((log) => log.block === block);
    let below = block - 1;
    while (this.rounds.has(below)) below -= 1;
    return {
      ...{ number: hex(block), hash: this.hashOf(block), parentHash: this.hashOf(below) },
      ...{
        timestamp: hex(timeOf(block, this.genesis)),
        logsBloom: `0x${(hasLogs ? '40' : '00').repeat(256)}`,
      },
    };
  }

  logsIn(
    from: number,
    to: number,
    address?: readonly string[],
    topics?: readonly string[],
  ): object[] {
    const found: object[] = [];
    let block = -1;
    let index = 0;
    for (const log of this.logs) {
      index = log.block === block ? index + 1 : 0;
      block = log.block;
      if (block < from || block > to || address?.includes(log.address) === false) continue;
      if (topics?.includes(log.topics[0] ?? '') === false) continue;
      found.push({
        ...{ address: log.address, topics: log.topics, data: log.data, removed: false },
        ...{
          blockNumber: hex(block),
          blockHash: this.hashOf(block),
          blockTimestamp: hex(timeOf(block, this.genesis)),
        },
        ...{ logIndex: hex(index), transactionIndex: hex(index >> 1) },
        transactionHash: `0x${hash('sha256', `${block} tx ${index >> 1}`)}`,
      });
    }
    return found;
  }
}

export function timeOf(block: number, genesis = GENESIS): number {
  return genesis + block * BLOCK_S;
}

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** An ABI word. */
export function word(value: number | bigint | string): string {
  return (
    typeof value === 'string' ? value.replace('0x', '').toLowerCase() : value.toString(16)
  ).padStart(64, '0');
}

interface RpcRequest {
  readonly jsonrpc: string;
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

type RpcError = { readonly code: number; readonly message: string };

/** How a node misbehaves; can be changed at any time. */
interface Misconduct {
  /** Logs that it leaves out. */
  hides?: (log: object) => boolean;
  /** Its head; it returns nothing beyond, and no error. */
  knowsUpTo?: number;
  /** What it says of ranges beyond its head instead. */
  beyond?: RpcError;
  /** Its oldest block; earlier ones are pruned. */
  prunedBelow?: number;
  /** The oldest block whose logs it has. It has all headers, and returns no error. */
  hasNoLogsBelow?: number;
  /** The oldest block whose balances it has. */
  keepsBalancesFrom?: number;
  /** Changes each balance before it's sent. */
  tells?: (balance: bigint, block: number) => bigint;
  /** Whether it only returns the logs of contracts that are named. */
  wantsAddresses?: boolean;
  /** An error for ranges of more blocks than this, made from the range. */
  widest?: number;
  refusal?: (from: number, to: number) => RpcError;
  /** The most logs that it returns for a range. */
  mostLogs?: number;
  /** Changes each answer to a call, before it's sent. */
  answers?: (answer: Record<string, unknown>, call: RpcRequest) => object;
  /** Answers the whole request itself. @returns whether it did */
  instead?: (res: ServerResponse, calls: readonly RpcRequest[]) => boolean;
  /** Changes each header before it's sent. */
  dates?: (header: Record<string, unknown>) => object;
  /** Changes each log before it's sent. */
  alters?: (log: Record<string, unknown>) => object;
  shuffles?: boolean;
  /** The longest batch it accepts; 0 for no batches. */
  batch?: number;
}

export interface ChainNode {
  /** Has secrets in its path and query. */
  readonly url: URL;
  readonly host: string;
  does: Misconduct;
  /** HTTP requests, and the requested ranges. */
  requests: number;
  refusedBatches: number;
  readonly ranges: (readonly [from: number, to: number])[];
  /** Balances by lowercase `address`, as `eth_call` returns them. */
  readonly balances: Map<string, bigint>;
  close(): Promise<void>;
}

export const NODE_SECRET = 'k3yOfTheNode';

/** A node of the chain, written from execution-apis; the test fails if it gets an invalid request. */
export async function openChainNode(chain: EvmChain): Promise<ChainNode> {
  const faults: unknown[] = [];
  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => {
      faults.push(error);
      res.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const node: ChainNode = {
    url: new URL(`http://127.0.0.1:${port}/v2/${NODE_SECRET}?key=${NODE_SECRET}`),
    host: `127.0.0.1:${port}`,
    does: {},
    requests: 0,
    refusedBatches: 0,
    ranges: [],
    balances: new Map(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(async () => {
    await node.close();
    expect(faults).toEqual([]);
  });
  return node;

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as RpcRequest | RpcRequest[];
    // Called so often that vitest's own assertions would take a good part of the time.
    assert.equal(req.url, `/v2/${NODE_SECRET}?key=${NODE_SECRET}`);
    const calls = Array.isArray(asked) ? asked : [asked];
    assert(calls.length > 0);
    node.requests += 1;
    if (node.does.instead?.(res, calls) === true) return;
    if (Array.isArray(asked) && calls.length > (node.does.batch ?? Number.POSITIVE_INFINITY)) {
      node.refusedBatches += 1;
      const error = { code: -32600, message: 'batch of this length is not supported' };
      res.statusCode = 400;
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return;
    }
    const answers = calls.map((call) => {
      assert.equal(call.jsonrpc, '2.0');
      const answer = answerOf(call);
      const own = { jsonrpc: '2.0', id: call.id, ...answer };
      return node.does.answers?.(own, call) ?? own;
    });
    if (node.does.shuffles) answers.reverse();
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
  }

  function answerOf({ method, params }: RpcRequest): { result: unknown } | { error: RpcError } {
    const { does } = node;
    const head = Math.min(chain.head, does.knowsUpTo ?? chain.head);
    if (method === 'eth_chainId') return { result: hex(chain.id) };
    if (method === 'eth_getCode') {
      const address = String(params[0]).toLowerCase();
      const hasLogs = chain.logs.some((log) => log.address === address);
      return { result: chain.codes.get(address) ?? (hasLogs ? '0x6000' : '0x') };
    }
    if (method === 'eth_getStorageAt') {
      const slot = `${params[0]} ${params[1]}`.toLowerCase();
      return { result: chain.storage.get(slot) ?? `0x${word(0)}` };
    }
    if (method === 'eth_getBlockByNumber') {
      const [tag, isFull] = params;
      assert.equal(isFull, false);
      const block = tag === 'finalized' || tag === 'latest' ? head : Number(tag);
      assert(Number.isSafeInteger(block));
      const isThere = block <= head && block >= (does.prunedBelow ?? 0) && !chain.rounds.has(block);
      if (!isThere) return { result: null };
      const header = chain.header(block);
      return { result: does.dates?.({ ...header }) ?? header };
    }
    if (method === 'eth_call') {
      const [call, at] = params as [{ to: string; data: string }, string];
      const returned = chain.returns.get(`${call.to} ${call.data}`.toLowerCase());
      if (returned !== undefined) return { result: returned };
      const owner = `0x${call.data.slice(34, 74)}`;
      const block = at === 'latest' ? head : Number(at);
      if (block > head) return { error: { code: -32000, message: 'header not found' } };
      if (block < (does.keepsBalancesFrom ?? 0)) {
        return { error: { code: -32000, message: 'missing trie node 9f7 (path ) <nil>' } };
      }
      if (chain.balanceOf === undefined) {
        return { result: `0x${word(node.balances.get(owner) ?? 0n)}` };
      }
      const balance = chain.balanceOf(owner, block);
      if (balance === undefined) return { error: { code: 3, message: 'execution reverted' } };
      return { result: `0x${word(does.tells?.(balance, block) ?? balance)}` };
    }
    assert.equal(method, 'eth_getLogs');
    const [filter] = params as [
      { address?: string | string[]; topics?: [string[]]; fromBlock: string; toBlock: string },
    ];
    const addresses =
      filter.address === undefined
        ? undefined
        : [filter.address].flat().map((each) => each.toLowerCase());
    if (does.wantsAddresses === true && filter.address === undefined) {
      return { error: { code: -32701, message: 'Please specify an address in your request' } };
    }
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    assert(from >= 0);
    assert(to >= from);
    if (filter.address !== undefined) node.ranges.push([from, to]);
    if (does.beyond !== undefined && to > head) return { error: does.beyond };
    const refusal = does.refusal ?? (() => ({ code: -32005, message: 'query timeout exceeded' }));
    if (to - from + 1 > (does.widest ?? Number.POSITIVE_INFINITY))
      return { error: refusal(from, to) };
    const first = Math.max(from, does.prunedBelow ?? 0, does.hasNoLogsBelow ?? 0);
    const found = chain
      .logsIn(first, Math.min(to, head), addresses, filter.topics?.[0])
      .filter((log) => does.hides?.(log) !== true)
      .map((log) => does.alters?.({ ...log }) ?? log);
    if (to > from && found.length > (does.mostLogs ?? Number.POSITIVE_INFINITY)) {
      return { error: refusal(from, to) };
    }
    return { result: does.shuffles ? found.toReversed() : found };
  }
}
