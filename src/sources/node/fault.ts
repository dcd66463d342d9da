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

/**
 * Why a node is of no use right now. The message is for operators: it names the node by host and port
 * alone and holds nothing of what it said beside words that we chose.
 */
export class NodeFault extends RetryableError {
  readonly kind: NodeFaultKind;

  /** @param retryAfter seconds, where the node says so */
  constructor(
    kind: NodeFaultKind,
    message: string,
    options: { readonly retryAfter?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options);
    this.kind = kind;
  }
}
