import { RetryableError } from '#base';

/** What went wrong at a node, by what to do about it. */
export type NodeFaultKind =
  /** No complete response: no connection, a 5xx status, or a body cut short. */
  | 'unreachable'
  /** It asks for fewer requests. */
  | 'limited'
  /** The response is too large or takes too long: ask for less. */
  | 'too-much'
  /** It returned an error. */
  | 'refused'
  /** It isn't there yet. */
  | 'behind'
  /** Its response can't be true. */
  | 'broken'
  /** It says two things of one final block, as if chains took turns behind its address. */
  | 'inconsistent'
  /** It has pruned what this question needs, but may well answer others. */
  | 'pruned'
  /** It serves another chain, or has pruned what all questions need. */
  | 'unfit';

export interface NodeFaultOptions {
  /** Seconds, if the node said so. */
  readonly retryAfter?: number;
  readonly isServerError?: boolean;
  readonly isPassing?: boolean;
  readonly isRejected?: boolean;
  readonly cause?: unknown;
}

/**
 * A node can't be used right now. The message is for operators: it names the node by its variable, host and port
 * only, and quotes nothing of its response except words that we chose.
 */
export class NodeFault extends RetryableError {
  readonly kind: NodeFaultKind;
  /** Whether the server behind the node failed, which a smaller request may avoid. */
  readonly isServerError: boolean;
  /** Whether the same request may well succeed in a moment. */
  readonly isPassing: boolean;
  /** Whether a status between 400 and 499 says that the request itself is wrong, or too long. */
  readonly isRejected: boolean;

  /** @param message a whole sentence */
  constructor(kind: NodeFaultKind, message: string, options: NodeFaultOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.isServerError = options.isServerError ?? false;
    this.isPassing = options.isPassing ?? false;
    this.isRejected = options.isRejected ?? false;
  }
}

/** For what can't be asked for in smaller parts, so that the node itself is at fault. @param unit `block` */
export function unableForOne(tooMuch: NodeFault, unit: string): NodeFault {
  return new NodeFault('refused', `${tooMuch.message} It was only asked for one ${unit}.`);
}
