import { fieldOf, RetryableError } from '#base';

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

/**
 * What providers say. QuickNode and public nodes of Base: "25/second request limit reached - reduce calls per second",
 * "credits limited to 6000/sec"; dRPC: "Too many request"; Infura: "request rate exceeded"; Chainstack: "exceeded the
 * RPS limit".
 */
const LIMITED =
  /rate.?(?:limit|exceeded)|request limit reached|too many requests?\b|throughput|compute units per second|(?:requests|calls) per second|limited to \d+\/s|\brps\b|exceeded.*(?:capacity|quota)/i;

/** Whether words ask for fewer requests. */
export function saysLimited(words: string): boolean {
  return LIMITED.test(words);
}

/** Where gateways put their words. */
const FIELDS = ['message', 'error_description', 'detail'];

/**
 * Whether JSON that a gateway sends in place of a response asks for fewer requests, whatever its status. Errors with a
 * code are the protocol's own.
 */
export function isLimitNotice(json: unknown): boolean {
  const error = fieldOf(json, 'error');
  const hasCode = fieldOf(error, 'code') !== undefined;
  const errors = fieldOf(json, 'errors');
  const all = [
    ...[json, error, ...FIELDS.map((name) => fieldOf(json, name))],
    ...(hasCode ? [] : [fieldOf(error, 'message')]),
    ...(Array.isArray(errors) ? errors.slice(0, 10) : []).map((each) => fieldOf(each, 'message')),
  ];
  return all.some((each) => typeof each === 'string' && isLimit(each.slice(0, 1_000)));
}

/** Too many requests in one batch aren't too many in some time. */
function isLimit(words: string): boolean {
  return saysLimited(words) && !/batch/i.test(words);
}

/** A page with more words is about something else. */
const PAGE_MOST = 1_000;
const HIDDEN = /<(script|style)\b[^>]*>.*?<\/\1>|<[^>]*>/gis;

/** The same of a text that isn't JSON, which may be a page. */
export function isLimitPage(text: string): boolean {
  if (text.length > 100_000) return false;
  const words = text.replaceAll(HIDDEN, ' ').replaceAll(/\s+/g, ' ').trim();
  return words.length <= PAGE_MOST && isLimit(words);
}
