import { fieldOf } from '#core/json-field';

/**
 * Why a node gave no answer. Texts decide only between "slow down", "has no such blocks" and all
 * else; whatever else it is, a narrower range is asked for.
 */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  readonly kind: RpcFaultKind;
  /** Milliseconds after which it may be asked again, where it says so. */
  readonly retryAfterMs: number | undefined;
  /** A range that the node says it would answer; not to be trusted. */
  readonly hint: RangeHint | undefined;

  /** @param message continues a sentence that names the host */
  constructor(
    kind: RpcFaultKind,
    message: string,
    options: {
      readonly retryAfterMs?: number | undefined;
      readonly hint?: RangeHint | undefined;
      /** The address in it must not be shown. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.hint = options.hint;
  }
}

export type RpcFaultKind =
  /** Asked too often. */
  | 'rate'
  /** It doesn't have these blocks any more. */
  | 'pruned'
  /** It doesn't have these blocks yet. */
  | 'behind'
  /** It must not be asked: another chain, or a key that it refuses. */
  | 'unfit'
  /** The contract itself did. */
  | 'reverted'
  /** It refused, or answered too much or too slowly: a narrower range may do. */
  | 'refused'
  /** It contradicts what others say, or what was read. */
  | 'wrong'
  /** It can't be reached, or sends what is no answer. */
  | 'failing';

interface RangeHint {
  readonly from: number;
  readonly to: number;
}

const RATE =
  /rate.?limit|too many requests|throughput|compute units per second|requests per second|exceeded.*(?:capacity|quota)/i;
const PRUNED =
  /pruned|archive|missing trie node|history.*(?:unavailable|not available)|state.*not available/i;
const PRUNED_CODE = 4444;
const REVERTED_CODE = 3;
const RATE_CODES = new Set([429, -32029]);

/** What an error of JSON-RPC means. Its text is never shown: it may quote the key. */
export function rpcFaultOf(error: unknown, retryAfterMs: number | undefined): RpcFault {
  const code = fieldOf(error, 'code');
  const text = String(fieldOf(error, 'message') ?? '').slice(0, 1_000);
  if (code === PRUNED_CODE || PRUNED.test(text)) {
    return new RpcFault('pruned', 'has no such old blocks any more');
  }
  if (RATE_CODES.has(Number(code)) || RATE.test(text)) {
    return new RpcFault('rate', 'says that it is asked too often', { retryAfterMs });
  }
  if (code === REVERTED_CODE || /revert/i.test(text)) {
    return new RpcFault('reverted', 'says that the contract refused the call');
  }
  const said = typeof code === 'number' ? ` (code ${code})` : '';
  return new RpcFault('refused', `refused the request${said}`, { hint: hintOf(text) });
}

const HEX_RANGE = /\[?\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]?/i;
const PLAIN_RANGE = /range\s+(\d{1,15})\s*-\s*(\d{1,15})/i;

function hintOf(text: string): RangeHint | undefined {
  const [, from, to] = HEX_RANGE.exec(text) ?? PLAIN_RANGE.exec(text) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return { from: Number(from), to: Number(to) };
}
