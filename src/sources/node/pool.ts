import { monotonicMs } from '#core/clock';
import { RetryableError } from '#core/errors';
import { backoff } from '#runtime/backoff';
import type { NodeStatus } from '#sources/source';
import { NodeCall } from './call.ts';
import { NodeFault } from './fault.ts';
import type { SourceNode } from './node.ts';

/** How long a node rests after failures in a row. */
const REST = { first: 1_000, most: 60_000 } as const;
/** A node of another chain, or one that has pruned: somebody has to do something first. */
const UNFIT_REST_MS = 300_000;
/** A node that is behind catches up by itself. */
const BEHIND_REST_MS = 2_000;

interface Member {
  readonly node: SourceNode;
  state: NodeStatus['state'];
  height: number | undefined;
  widest: number | undefined;
  failures: number;
  failuresInARow: number;
  lastFault: string | undefined;
  /** By the monotonic clock. */
  restsUntil: number;
}

export interface NodePoolOptions {
  /** Names the source, for messages. */
  readonly source: string;
  readonly now?: () => number;
}

/** What a node is asked. @throws NodeFault */
export type NodeWork<T> = (call: NodeCall) => Promise<T>;

/** What one node answered. */
interface Answered<T> {
  readonly node: SourceNode;
  readonly value: T;
}

interface AskOptions {
  /** So many nodes must answer. */
  readonly needed: number;
  /** Nodes that aren't asked. */
  readonly without?: ReadonlySet<SourceNode>;
  /** Whether to ask every node, not only as many as needed. */
  readonly isForAll?: boolean;
  readonly signal: AbortSignal | undefined;
}

const NONE: ReadonlySet<SourceNode> = new Set();

/**
 * The nodes of a source, in the order of the operator's preference. One that fails rests for a while,
 * longer each time, and others are asked meanwhile; after that it's asked again first.
 */
export class NodePool {
  readonly #members: readonly Member[];
  readonly #source: string;
  readonly #now: () => number;

  constructor(nodes: readonly SourceNode[], { source, now = monotonicMs }: NodePoolOptions) {
    this.#members = nodes.map((node) => ({
      node,
      state: 'untried',
      height: undefined,
      widest: undefined,
      failures: 0,
      failuresInARow: 0,
      lastFault: undefined,
      restsUntil: 0,
    }));
    this.#source = source;
    this.#now = now;
  }

  /** Whether what a node says can be compared with what another says. */
  get isCompared(): boolean {
    return this.#members.length > 1;
  }

  /**
   * Asks the first node that gives an answer.
   * @throws NodeFault the last node's, or `too-much` at once, for no other node helps against that as
   *   surely as asking for less; RetryableError when all nodes rest
   */
  async ask<T>(work: NodeWork<T>, signal?: AbortSignal): Promise<T> {
    const [answered] = await this.#askSome(work, { needed: 1, signal });
    return answered.value;
  }

  /**
   * Asks two nodes where there are two, and believes what two of them say alike.
   * @param textOf what of an answer must be alike
   * @throws as `ask`; RetryableError too when nodes contradict each other and no third one settles it,
   *   or when no second one answers
   */
  async agreed<T>(
    work: NodeWork<T>,
    textOf: (value: T) => string,
    signal?: AbortSignal,
  ): Promise<T> {
    if (!this.isCompared) return await this.ask(work, signal);
    const answers = await this.#askSome(work, { needed: 2, signal });
    const texts = answers.map(({ value }) => textOf(value));
    if (texts[0] === texts[1]) return answers[0].value;
    const hosts = answers.map(({ node }) => node.host);
    const without = new Set(answers.map(({ node }) => node));
    const [third] = await this.#askSome(work, { needed: 1, without, signal }).catch(
      (error: unknown) => {
        if (error instanceof RetryableError) return [];
        throw error;
      },
    );
    const agrees = third === undefined ? -1 : texts.indexOf(textOf(third.value));
    const told = `${hosts.join(' and ')} contradict each other about ${this.#source}`;
    if (third === undefined || agrees === -1) {
      throw new RetryableError(`${told}; nothing is counted until another answer settles it.`, {
        retryAfter: 30,
      });
    }
    const liar = answers[1 - agrees]?.node;
    if (liar !== undefined) this.#failed(liar, liar.fault('broken', `contradicts two other nodes`));
    return third.value;
  }

  /**
   * The highest that a second node confirms, where there is one.
   * @param headOf the newest final position of a node
   */
  async head<T extends { readonly height: number }>(
    headOf: NodeWork<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const count = this.isCompared ? 2 : 1;
    const answers = await this.#askSome(headOf, { needed: count, signal, isForAll: true });
    for (const { node, value } of answers) this.#memberOf(node).height = value.height;
    const heads = answers.map(({ value }) => value).sort((a, b) => b.height - a.height);
    return heads[count - 1] as T;
  }

  /** Notes the widest range that a node was found to answer. */
  noteWidest(node: SourceNode, widest: number): void {
    this.#memberOf(node).widest = widest;
  }

  status(): readonly NodeStatus[] {
    return this.#members.map(({ node, state, height, widest, failures, lastFault }) => {
      const { host, requests } = node;
      return { host, state, height, widest, requests, failures, lastFault };
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ node }) => node.close()));
  }

  async #askSome<T>(
    work: NodeWork<T>,
    { needed, without = NONE, isForAll = false, signal }: AskOptions,
  ): Promise<[Answered<T>, ...Answered<T>[]]> {
    const answers: Answered<T>[] = [];
    let fault: NodeFault | undefined;
    for (const member of this.#members) {
      if (without.has(member.node) || member.restsUntil > this.#now()) continue;
      try {
        answers.push({ node: member.node, value: await work(new NodeCall(member.node, signal)) });
        this.#answered(member);
      } catch (error) {
        if (!(error instanceof NodeFault)) throw error;
        this.#failed(member.node, error);
        if (error.kind === 'too-much') throw error;
        fault = error;
      }
      if (answers.length >= needed && !isForAll) break;
    }
    const [first, ...rest] = answers;
    if (first !== undefined && answers.length >= needed) return [first, ...rest];
    if (fault !== undefined && needed === 1) throw fault;
    throw this.#unanswered(needed, without, fault);
  }

  #unanswered(
    needed: number,
    without: ReadonlySet<SourceNode>,
    fault: NodeFault | undefined,
  ): RetryableError {
    const others = this.#members.filter(({ node }) => !without.has(node));
    const soonest = Math.min(...others.map(({ restsUntil }) => restsUntil));
    const retryAfter = Math.max(1, Math.ceil((soonest - this.#now()) / 1000));
    const reason = fault?.message ?? others.find(({ lastFault }) => lastFault)?.lastFault;
    const what =
      needed === 1
        ? `No node of ${this.#source} answers.`
        : `No two nodes of ${this.#source} answer, so neither can be checked by the other.`;
    return new RetryableError(reason === undefined ? what : `${what} ${reason}`, {
      retryAfter: Number.isFinite(retryAfter) ? retryAfter : 30,
    });
  }

  #memberOf(node: SourceNode): Member {
    return this.#members.find((each) => each.node === node) as Member;
  }

  #answered(member: Member): void {
    member.state = 'ok';
    member.failuresInARow = 0;
    member.lastFault = undefined;
  }

  #failed(node: SourceNode, fault: NodeFault): void {
    const member = this.#memberOf(node);
    member.failures += 1;
    member.lastFault = fault.message;
    // A range that was too wide says nothing against the node.
    if (fault.kind === 'too-much') return;
    member.failuresInARow += 1;
    const { kind } = fault;
    member.state = kind === 'behind' || kind === 'unfit' ? kind : 'failing';
    member.restsUntil = this.#now() + restOf(fault, member.failuresInARow);
  }
}

function restOf({ kind, retryAfter }: NodeFault, failuresInARow: number): number {
  if (kind === 'unfit') return UNFIT_REST_MS;
  if (kind === 'behind') return BEHIND_REST_MS;
  if (kind === 'limited') return retryAfter * 1_000;
  return backoff(failuresInARow, REST);
}
