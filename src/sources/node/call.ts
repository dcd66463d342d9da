import { type AnswerCheck, MalformedAnswer } from './answer-schema.ts';
import type { NodeFault, NodeFaultKind, NodeFaultOptions } from './fault.ts';
import type { NodeAnswer, NodeRequest, SourceNode } from './node.ts';

/** A node as one piece of work asks it, until a signal ends the work. */
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

  /** As `SourceNode.ask`. */
  async ask(request: NodeRequest): Promise<NodeAnswer> {
    return await this.node.ask(request, this.#signal);
  }

  /**
   * Checks what came as an answer.
   * @throws NodeFault `broken`
   */
  check<T>(check: AnswerCheck<T>, value: unknown): T {
    return this.checked(() => check(value));
  }

  /**
   * Does what throws MalformedAnswer.
   * @throws NodeFault `broken` in its place
   */
  checked<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof MalformedAnswer)) throw error;
      throw this.fault('broken', error.message);
    }
  }

  /** As `SourceNode.fault`. */
  fault(kind: NodeFaultKind, reason: string, options?: NodeFaultOptions): NodeFault {
    return this.node.fault(kind, reason, options);
  }
}
