import { sleep } from '#base/waiting';
import { type AnswerCheck, MalformedAnswer } from './answer-schema.ts';
import { NodeFault, type NodeFaultKind, type NodeFaultOptions } from './fault.ts';
import type { NodeAnswer, NodeRequest, SourceNode } from './node.ts';

/**
 * How long to wait before what a node doesn't have, or what it sent nonsense for, is requested again: behind one
 * address there may be several machines, of which one is a moment behind, and a proxy may mix up what they send.
 */
const AGAIN_MS = [50, 150, 450];
const AGAIN: ReadonlySet<NodeFaultKind> = new Set(['behind', 'broken']);

/** Requests to one node as part of one task, aborted by the task's signal. */
export class NodeCall {
  readonly node: SourceNode;
  readonly #signal: AbortSignal | undefined;

  constructor(node: SourceNode, signal?: AbortSignal) {
    this.node = node;
    this.#signal = signal;
  }

  get host(): string {
    return this.node.host;
  }

  /** See `SourceNode.ask`. */
  async ask(request: NodeRequest): Promise<NodeAnswer> {
    return await this.node.ask(request, this.#signal);
  }

  /**
   * Does part of a task again while the node is behind or sends nonsense, so that the rest of the task isn't lost.
   * @throws what the work throws in the end
   */
  async again<T>(work: () => Promise<T>): Promise<T> {
    for (const pauseMs of AGAIN_MS) {
      try {
        return await work();
      } catch (error) {
        const isPassing = error instanceof NodeFault && AGAIN.has(error.kind);
        if (!isPassing) throw error;
        await sleep(pauseMs, this.#signal);
        this.#signal?.throwIfAborted();
      }
    }
    return await work();
  }

  /**
   * Checks a response.
   * @throws NodeFault `broken`
   */
  check<T>(check: AnswerCheck<T>, value: unknown): T {
    return this.checked(() => check(value));
  }

  /**
   * Runs a function, turning MalformedAnswer into a NodeFault.
   * @throws NodeFault `broken`
   */
  checked<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof MalformedAnswer)) throw error;
      throw this.fault('broken', error.message);
    }
  }

  /** See `SourceNode.fault`. */
  fault(kind: NodeFaultKind, reason: string, options?: NodeFaultOptions): NodeFault {
    return this.node.fault(kind, reason, options);
  }
}
