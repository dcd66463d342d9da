import Type from 'typebox';
import { rpcIdOf, rpcRequest } from '#base';
import { answerCheck } from './answer-schema.ts';
import type { NodeCall } from './call.ts';

/** There's one request at a time. */
const ID = 1;

const checkReply = answerCheck(
  Type.Object({
    // Some nodes send it back as text, and none with an error.
    id: Type.Optional(Type.Unknown()),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object({ code: Type.Optional(Type.Integer()), message: Type.Optional(Type.String()) }),
      ]),
    ),
  }),
);

/** A node answered with an error. Only its code is kept: the message isn't trusted. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number | undefined;

  constructor(code: number | undefined) {
    super(`answered with error ${code ?? '?'}`);
    this.code = code;
  }
}

/**
 * Calls a JSON-RPC 2.0 method that can't be asked for less.
 * @returns the result, unchecked
 * @throws RpcError, NodeFault
 */
export async function askRpc(
  call: NodeCall,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const body = rpcRequest({ method, params }, ID);
  const { status, json } = await call.ask({ body, isWhole: true, isOurs });
  if (status !== 200 && !isReply(json)) throw call.fault('refused', `answered with ${status}`);
  const { error, result } = call.check(checkReply, json);
  if (error !== undefined && error !== null) throw new RpcError(error.code);
  if (result === undefined) throw call.fault('broken', 'sent neither a result nor an error');
  return result;
}

/** There's one request, so that what doesn't name another one is to it. */
function isOurs(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return true;
  const id = rpcIdOf(json);
  return id === ID || (isReply(json) && (id === null || id === undefined));
}

/** Some nodes send errors with an error status. */
function isReply(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json;
}
