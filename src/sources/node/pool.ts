import { type BackoffRange, monotonicMs, RetryableError } from '#base';
import { backoff } from '#base/waiting';
import type { HostPaces } from '#sources/host-pace';
import { type NodeStatus, REREAD_ADVICE, SourceStopped } from '#sources/source';
import type { AnswerComparison } from './disagreement.ts';
import { NodeFault } from './fault.ts';
import { NodeCall, type NodeOptions, SourceNode } from './node.ts';

/** How long a node rests after several failures in a row. */
const REST: BackoffRange = { first: 1_000, most: 60_000 };
/** One that contradicted two others rests for this many times the longest: asked again, it may lie unnoticed. */
const LIAR_RESTS = 5;
/**
 * One that serves another chain or has pruned rests for this part of the longest. Only its operator can mend that, who
 * then waits; and whether it's mended takes one small request.
 */
const UNFIT_REST = 0.5;
/** A node that's behind catches up on its own. */
const BEHIND_REST_MS = 2_000;
/** After a quorum has answered, how long to wait for the other heads. A new head must show within 10 s. */
const HEAD_MS = 4_000;

interface Member {
  readonly node: SourceNode;
  state: NodeStatus['state'];
  height: number | undefined;
  widest: number | undefined;
  failures: number;
  failuresInARow: number;
  lastFault: string | undefined;
  /** In milliseconds of the monotonic clock. */
  restsUntil: number;
}

export interface NodePoolOptions {
  /** The source's name, for messages. */
  readonly source: string;
  readonly now?: () => number;
  /** How long a node rests after failures in a row, in milliseconds; for tests. */
  readonly restMs?: BackoffRange | undefined;
}

/** A task that asks a node. @throws NodeFault */
export type NodeWork<T> = (call: NodeCall) => Promise<T>;

/** A node's answer. */
interface Answered<T> {
  readonly node: SourceNode;
  readonly value: T;
}

interface AskOptions {
  /** How many nodes must answer. */
  readonly needed: number;
  /** Nodes to leave out. */
  readonly without?: ReadonlySet<SourceNode>;
  /** Whether to ask every node, not just as many as needed. */
  readonly isForAll?: boolean;
  readonly signal: AbortSignal | undefined;
}

const NONE: ReadonlySet<SourceNode> = new Set();
/** Why a node isn't waited for any longer. */
const LATE = Symbol('late');

/**
 * A source's nodes, in the operator's order of preference. A node that fails rests for a while, longer each
 * time, while others are asked; then it comes first again.
 */
export class NodePool {
  readonly #members: readonly Member[];
  readonly #source: string;
  readonly #now: () => number;
  readonly #rest: BackoffRange;

  constructor(nodes: readonly SourceNode[], options: NodePoolOptions) {
    const { source, now = monotonicMs, restMs = REST } = options;
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
    this.#rest = restMs;
  }

  /** Whether nodes are checked against each other. */
  get isCompared(): boolean {
    return this.#members.length > 1;
  }

  /**
   * Asks nodes in order until one answers.
   * @throws NodeFault of the last node; `too-much` at once, since asking for less helps more surely than
   * another node; RetryableError if all nodes rest
   */
  async ask<T>(work: NodeWork<T>, signal?: AbortSignal): Promise<T> {
    const [answered] = await this.#askSome(work, { needed: 1, signal });
    return answered.value;
  }

  /** The nodes that would be asked now: one, or two if they're compared. */
  get asked(): readonly SourceNode[] {
    const ready = this.#members.filter(({ restsUntil }) => restsUntil <= this.#now());
    return ready.slice(0, this.isCompared ? 2 : 1).map(({ node }) => node);
  }

  /**
   * Asks two nodes at once, if there are two, and trusts only what both say: there's no other way to notice
   * what a node leaves out.
   * @throws as `ask`; RetryableError also if no second node answers; SourceStopped if two nodes contradict
   * each other and no third one settles it, or if the only node contradicts itself
   */
  async agreed<T>(
    work: NodeWork<T>,
    { about, differenceOf, vouchedFor = (first) => first }: AnswerComparison<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (!this.isCompared) return await this.#askOnly(work, about, signal);
    const [one, other] = await this.#askSome(work, { needed: 2, signal });
    if (other === undefined) return one.value;
    const difference = differenceOf(one.value, other.value);
    if (difference === undefined) return vouchedFor(one.value, other.value);
    const without = new Set([one.node, other.node]);
    const [third] = await this.#askSome(work, { needed: 1, without, signal }).catch(
      (error: unknown) => {
        if (error instanceof RetryableError) return [];
        throw error;
      },
    );
    const isWith = (answer: Answered<T>) =>
      third !== undefined && differenceOf(answer.value, third.value) === undefined;
    const what = difference(one.node.name, other.node.name);
    const honest = [one, other].find(isWith);
    if (third === undefined || honest === undefined) {
      throw new SourceStopped(
        `${one.node.name} and ${other.node.name} contradict each other about ${this.#source}, ${about}: ${what}. ${waysOut(third?.node, this.#members.length > 2)}`,
      );
    }
    const liar = honest === one ? other.node : one.node;
    this.#failed(
      liar,
      liar.fault('broken', `contradicts two other nodes about ${about}: ${what}`),
      LIAR_RESTS * this.#rest.most,
    );
    return vouchedFor(honest.value, third.value);
  }

  /** Asked again, a node that contradicts itself would sooner or later be consistent, and may leave things out. */
  async #askOnly<T>(work: NodeWork<T>, about: string, signal?: AbortSignal): Promise<T> {
    try {
      return await this.ask(work, signal);
    } catch (error) {
      if (!(error instanceof NodeFault) || error.kind !== 'inconsistent') throw error;
      throw new SourceStopped(
        `${error.message} It was asked for ${about} of ${this.#source}. ${REREAD_ADVICE}`,
        { cause: error },
      );
    }
  }

  /**
   * The highest position that a second node confirms, if there are two, and the highest of all if that's another.
   * @param headOf asks for a node's newest final position
   */
  async head<T extends { readonly height: number }>(
    headOf: NodeWork<T>,
    signal?: AbortSignal,
  ): Promise<T & { readonly newest?: T }> {
    const count = this.isCompared ? 2 : 1;
    const answers = await this.#askSome(headOf, { needed: count, signal, isForAll: true });
    for (const { node, value } of answers) this.#memberOf(node).height = value.height;
    const heads = answers.map(({ value }) => value).sort((a, b) => b.height - a.height);
    const [newest, confirmed] = [heads[0] as T, heads[count - 1] as T];
    return newest.height === confirmed.height ? confirmed : { ...confirmed, newest };
  }

  /** Records the widest range that a node was found to answer. */
  noteWidest(node: SourceNode, widest: number): void {
    this.#memberOf(node).widest = widest;
  }

  status(): readonly NodeStatus[] {
    return this.#members.map(({ node, state, height, widest, failures, lastFault }) => {
      const { host, variable, counts } = node;
      const all = { requests: counts.requests, failures: failures + counts.repeated };
      return { host, variable, state, height, widest, ...all, lastFault };
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ node }) => node.close()));
  }

  async #askSome<T>(
    work: NodeWork<T>,
    { needed, without = NONE, isForAll = false, signal }: AskOptions,
  ): Promise<[Answered<T>, ...Answered<T>[]]> {
    const left = this.#members.filter(
      ({ node, restsUntil }) => !without.has(node) && restsUntil <= this.#now(),
    );
    const enough = new AbortController();
    const both = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
    const answers = new Map<Member, T>();
    let fault: NodeFault | undefined;
    let late: NodeJS.Timeout | undefined;
    const askOne = async (member: Member) => {
      try {
        answers.set(member, await work(new NodeCall(member.node, both)));
        this.#answered(member);
        if (isForAll && answers.size >= needed)
          late ??= setTimeout(() => enough.abort(LATE), HEAD_MS);
      } catch (reason) {
        const isLate = reason === LATE;
        const error = isLate
          ? member.node.fault('unreachable', 'took too long to respond')
          : reason;
        if (!(error instanceof NodeFault)) throw error;
        this.#failed(member.node, error);
        if (error.kind === 'too-much') throw error;
        fault = error;
      }
    };
    try {
      while (left.length > 0 && (isForAll || answers.size < needed)) {
        const count = isForAll ? left.length : needed - answers.size;
        await Promise.all(left.splice(0, count).map(askOne));
      }
    } finally {
      clearTimeout(late);
      // One has failed for good, so what the others say is useless.
      enough.abort();
    }
    const [first, ...rest] = this.#members
      .filter((member) => answers.has(member))
      .map((member) => ({ node: member.node, value: answers.get(member) as T }));
    if (first !== undefined && answers.size >= needed) return [first, ...rest];
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
    // Report each of them: what mends one may not mend another.
    const faults = others.flatMap(({ lastFault }) => lastFault ?? []);
    const reasons = new Set([...faults, ...(fault === undefined ? [] : [fault.message])]);
    const what =
      needed === 1
        ? `No node of ${this.#source} answers.`
        : `No two nodes of ${this.#source} answer, so neither can be checked by the other.`;
    return new RetryableError([what, ...reasons].join(' '), {
      retryAfter: Number.isFinite(retryAfter) ? retryAfter : 30,
    });
  }

  #memberOf(node: SourceNode): Member {
    return this.#members.find((each) => each.node === node) as Member;
  }

  #answered(member: Member): void {
    // It may have failed since: several requests are under way.
    if (member.restsUntil > this.#now()) return;
    member.state = 'ok';
    member.failuresInARow = 0;
    member.lastFault = undefined;
  }

  #failed(node: SourceNode, fault: NodeFault, restMs = 0): void {
    const member = this.#memberOf(node);
    member.failures += 1;
    member.lastFault = fault.message;
    // A range that was too wide, or too old for some questions, says nothing against the node.
    if (fault.kind === 'too-much' || fault.kind === 'pruned') return;
    const { kind } = fault;
    member.state = kind === 'behind' || kind === 'unfit' ? kind : 'failing';
    const now = this.#now();
    // Concurrent requests fail together, which counts once.
    if (member.restsUntil <= now) member.failuresInARow += 1;
    const rest = Math.max(restOf(fault, member.failuresInARow, this.#rest), restMs);
    member.restsUntil = Math.max(member.restsUntil, now + rest);
  }
}

function waysOut(third: SourceNode | undefined, areMoreNamed: boolean): string {
  const silence = areMoreNamed ? 'No other node answers now to settle it. ' : '';
  const verdict = third === undefined ? silence : `${third.name} agrees with neither. `;
  const added = areMoreNamed ? 'Name another node' : 'Name a third node to settle it';
  return `${verdict}None of it counts until two agree. ${added}, or replace the one that is wrong.`;
}

function restOf(
  { kind, retryAfter }: NodeFault,
  failuresInARow: number,
  range: BackoffRange,
): number {
  if (kind === 'unfit') return UNFIT_REST * range.most;
  if (kind === 'behind') return Math.min(BEHIND_REST_MS, range.most);
  if (kind === 'limited') return retryAfter * 1_000;
  return backoff(failuresInARow, range);
}

/** What a source is opened with. */
export interface NodeSourceOptions {
  /** Its name in the rules file, for messages. */
  readonly id: string;
  /** The nodes' URLs. Secret: their paths and queries may hold keys. */
  readonly urls: readonly URL[];
  /** The environment variables that they're from. */
  readonly variables?: readonly string[] | undefined;
  /** The pace of each host; without it, requests are sent as fast as they're answered. */
  readonly paces?: HostPaces;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** How long a node rests after a failure; for tests. */
  readonly restMs?: BackoffRange | undefined;
}

/** The nodes of a source. @param limits of each response, and headers of each request */
export function openPool(
  { id, urls, variables, paces, restMs, now = monotonicMs }: NodeSourceOptions,
  limits: Omit<NodeOptions, 'pace' | 'variable'>,
): NodePool {
  const nodes = urls.map(
    (url, place) =>
      new SourceNode(url, {
        ...{ ...limits, pace: paces?.of(url.host), variable: variables?.[place] },
      }),
  );
  return new NodePool(nodes, { source: id, now, restMs });
}
