import { RetryableError } from '#core/errors';

/** What a node did, by what helps against it. */
export type NodeFaultKind =
  /** No whole answer: no connection, a status of 5xx, a body that breaks off. */
  | 'unreachable'
  /** It asks for fewer requests. */
  | 'limited'
  /** The answer is too large or takes too long: ask for less. */
  | 'too-much'
  /** It says an error. */
  | 'refused'
  /** It hasn't got there yet. */
  | 'behind'
  /** It says what can't be. */
  | 'broken'
  /** It's of another chain, or no longer has what's asked for. */
  | 'unfit';

export interface NodeFaultOptions {
  /** Seconds, where the node says so. */
  readonly retryAfter?: number;
  readonly isServerError?: boolean;
  readonly cause?: unknown;
}

/**
 * Why a node is of no use right now. The message is for operators: it names the node by host and port
 * alone and holds nothing of what it said beside words that we chose.
 */
export class NodeFault extends RetryableError {
  readonly kind: NodeFaultKind;
  /** Whether the server behind the node failed: with less to do it might not. */
  readonly isServerError: boolean;

  /** @param message a whole sentence */
  constructor(kind: NodeFaultKind, message: string, options: NodeFaultOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.isServerError = options.isServerError ?? false;
  }
}
