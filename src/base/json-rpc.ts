import { fieldOf } from './text/json-field.ts';

/** A call of a method over JSON-RPC 2.0. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The body of a request. @param id names it within a batch */
export function rpcRequest({ method, params }: RpcCall, id: number) {
  return { jsonrpc: '2.0', id, method, params };
}

/** Nine digits at most, so that nodes may send it back as text. */
const LAST_ID = 999_999_999;
let newest = 0;

/**
 * Ids that no recent request had: by these a response is known that a proxy has sent to another request.
 * @returns the first of so many in a row
 */
export function newRpcIds(count = 1): number {
  const first = newest + count > LAST_ID ? 1 : newest + 1;
  newest = first + count - 1;
  return first;
}

/** The id of the request that a response is to. Some nodes send the number back as text. */
export function rpcIdOf(response: unknown): unknown {
  const id = fieldOf(response, 'id');
  return typeof id === 'string' && /^\d{1,9}$/.test(id) ? Number(id) : id;
}

/** The error in a response, if any. Some nodes send an empty one along with a result. */
export function rpcErrorOf(response: unknown): unknown {
  return fieldOf(response, 'error') ?? undefined;
}

const INTERNAL_CODE = -32603;

/** Whether an error says that the server failed, and no more: that may be over in a moment. */
export function isInternalError(error: unknown): boolean {
  const words = String(fieldOf(error, 'message') ?? '').trim();
  const isBare = /^(?:internal )?(?:server |json-?rpc )?error\.?$/i.test(words);
  return fieldOf(error, 'code') === INTERNAL_CODE && isBare;
}
