import { type AnswerCheck, MalformedAnswer } from './answer-schema.ts';
import type { NodeFault, NodeFaultKind, NodeFaultOptions } from './fault.ts';
import type { NodeAnswer, NodeRequest, SourceNode } from './node.ts';

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
