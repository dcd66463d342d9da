import Type, { type Static } from 'typebox';
import { fieldOf, isInternalError, newRpcIds, rpcErrorOf, rpcIdOf, rpcRequest } from '#base';
import { answerCheck, Count } from '#sources/node/answer-schema';
import { saysLimited } from '#sources/node/fault';
import type { NodeCall, SourceNode } from '#sources/node/node';

/** Providers' codes; Solana's own are below. */
const LIMITED_CODES = new Set([429, -32429]);

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
  const id = newRpcIds();
  const body = rpcRequest({ method, params }, id);
  const { status, json } = await call.ask({
    ...{ body, isWhole: true, isLimited, isFailure },
    isOurs: (each) => isTo(each, id),
  });
  if (status !== 200 && !isReply(json)) throw call.fault('refused', `answered with ${status}`);
  const { error, result } = call.check(checkReply, json);
  if (error !== undefined && error !== null) throw new RpcError(error.code);
  if (result === undefined) throw call.fault('broken', 'sent neither a result nor an error');
  return result;
}

/** Errors may name no request. */
function isTo(json: unknown, id: number): boolean {
  const answered = rpcIdOf(json);
  return answered === id || (isReply(json) && (answered === null || answered === undefined));
}

/** Some providers say so with status 200, and in words, for a code that means something else to Solana's nodes. */
function isLimited(json: unknown): boolean {
  const error = rpcErrorOf(json);
  const words = String(fieldOf(error, 'message') ?? '').slice(0, 1_000);
  return LIMITED_CODES.has(Number(fieldOf(error, 'code'))) || saysLimited(words);
}

function isFailure(json: unknown): boolean {
  const error = rpcErrorOf(json);
  return isInternalError(error) || fieldOf(error, 'code') === ERRORS.storageUnreachable;
}

/** Some nodes send errors with an error status. */
function isReply(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json;
}

/** The few methods we need, always at `finalized`. Source: https://solana.com/docs/rpc/http */

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
/** The maximum size of a page. */
export const PAGE = 1_000;
/**
 * The newest version of transactions that we can read; a node refuses newer ones. Since September 2026 there's 1, which
 * has no lookup tables and otherwise the same fields. Source: SIMD-0385.
 */
const NEWEST_VERSION = 1;
/** How many slots before a skipped one to search for a block. */
const SEARCHED = 10_000;

/** Source: https://github.com/anza-xyz/agave/blob/master/rpc-client-api/src/custom_error.rs */
const ERRORS = {
  cleanedUp: -32001,
  notAvailable: -32004,
  unhealthy: -32005,
  skipped: -32007,
  skippedLongAgo: -32009,
  noHistory: -32011,
  statusNotAvailable: -32014,
  unsupportedVersion: -32015,
  minContextSlot: -32016,
  storageUnreachable: -32019,
  signatureNotFound: -32020,
  noSlotHistory: -32021,
} as const;
const BEHIND: ReadonlySet<number> = new Set([
  ERRORS.notAvailable,
  ERRORS.unhealthy,
  ERRORS.statusNotAvailable,
  ERRORS.minContextSlot,
  ERRORS.noSlotHistory,
]);
const UNFIT: ReadonlySet<number> = new Set([ERRORS.cleanedUp, ERRORS.noHistory]);
const SKIPPED: ReadonlySet<number> = new Set([ERRORS.skipped, ERRORS.skippedLongAgo]);

const Signature = Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$' });
const Address = Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' });
const Time = Type.Optional(Type.Union([Count, Type.Null()]));

const checkSignatures = answerCheck(
  Type.Array(
    Type.Object({ signature: Signature, slot: Count, err: Type.Unknown(), blockTime: Time }),
    { maxItems: PAGE },
  ),
);
/** An entry in a list of signatures. */
export type ListedSignature = ReturnType<typeof checkSignatures>[number];

const Instruction = Type.Object({
  programIdIndex: Count,
  accounts: Type.Array(Count),
  data: Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]*$' }),
});
export type CompiledInstruction = Static<typeof Instruction>;

const TokenBalances = Type.Optional(
  Type.Union([
    Type.Null(),
    // Transactions of the first months name no owners.
    Type.Array(Type.Object({ accountIndex: Count, owner: Type.Optional(Address) })),
  ]),
);

const Transaction = Type.Object({
  slot: Count,
  blockTime: Time,
  transaction: Type.Object({
    signatures: Type.Array(Signature, { minItems: 1 }),
    message: Type.Object({
      accountKeys: Type.Array(Address, { minItems: 1 }),
      instructions: Type.Array(Instruction),
    }),
  }),
  meta: Type.Object({
    err: Type.Unknown(),
    innerInstructions: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Array(Type.Object({ index: Count, instructions: Type.Array(Instruction) })),
      ]),
    ),
    loadedAddresses: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object({ writable: Type.Array(Address), readonly: Type.Array(Address) }),
      ]),
    ),
    preTokenBalances: TokenBalances,
    postTokenBalances: TokenBalances,
  }),
});
/** A transaction with its effects. */
export type SolanaTransaction = Static<typeof Transaction>;
const checkTransaction = answerCheck(Type.Union([Type.Null(), Transaction]));
const checkBlock = answerCheck(
  Type.Union([Type.Null(), Type.Object({ blockhash: Address, blockTime: Time })]),
);
const checkGenesis = answerCheck(Address);
const checkSlot = answerCheck(Count);
const checkSlots = answerCheck(Type.Array(Count));
const checkStatuses = answerCheck(
  Type.Object({ value: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1 }) }),
);

/** A block by its slot. */
export interface SolanaBlock {
  readonly height: number;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly time: number;
}

/** @throws NodeFault */
export async function newestBlock(call: NodeCall): Promise<SolanaBlock> {
  await requireMainnet(call);
  const slot = call.check(checkSlot, await ask(call, 'getSlot', [{ commitment: 'finalized' }]));
  const block = await blockAt(call, slot);
  if (block === undefined) throw call.fault('behind', `has no block of its newest slot ${slot}`);
  return block;
}

/** The newest block up to a slot; not every slot has one. @throws NodeFault */
export async function blockUpTo(call: NodeCall, slot: number): Promise<SolanaBlock> {
  await requireMainnet(call);
  const block = await blockAt(call, slot);
  if (block !== undefined) return block;
  const from = Math.max(0, slot - SEARCHED);
  const params = [from, slot, { commitment: 'finalized' }];
  const slots = call.check(checkSlots, await ask(call, 'getBlocks', params));
  const last = slots.at(-1);
  if (last === undefined || last > slot) throw call.fault('unfit', `has no blocks before ${slot}`);
  const found = await blockAt(call, last);
  if (found === undefined) throw call.fault('broken', `lists block ${last} but doesn't have it`);
  return found;
}

/** The first slot that the node still has; earlier blocks are pruned. @throws NodeFault */
export async function firstSlotOf(call: NodeCall): Promise<number> {
  return call.check(checkSlot, await ask(call, 'getFirstAvailableBlock', []));
}

/**
 * A page of signatures of the transactions that involve an address, newest first.
 * @param before the signature after which the page starts
 * @param minSlot a slot that the node must have reached
 * @throws NodeFault
 */
export async function signaturesOf(
  call: NodeCall,
  address: string,
  before: string | undefined,
  minSlot: number,
): Promise<ListedSignature[]> {
  await requireMainnet(call);
  const options = {
    commitment: 'finalized',
    limit: PAGE,
    minContextSlot: minSlot,
    ...(before !== undefined && { before }),
  };
  const result = await ask(call, 'getSignaturesForAddress', [address, options]);
  return call.check(checkSignatures, result);
}

/** Whether a node knows a transaction, however old. @throws NodeFault */
export async function knowsSignature(call: NodeCall, signature: string): Promise<boolean> {
  const options = { searchTransactionHistory: true };
  const result = await ask(call, 'getSignatureStatuses', [[signature], options]);
  const [status] = call.check(checkStatuses, result).value;
  return status !== null;
}

/** @throws NodeFault, also if it isn't the transaction that was listed */
export async function transactionOf(
  call: NodeCall,
  { signature, slot, blockTime }: ListedSignature,
): Promise<SolanaTransaction> {
  const options = {
    commitment: 'finalized',
    encoding: 'json',
    maxSupportedTransactionVersion: NEWEST_VERSION,
  };
  const result = await ask(call, 'getTransaction', [signature, options]);
  const transaction = call.check(checkTransaction, result);
  if (transaction === null) throw call.fault('behind', `lists ${signature} but doesn't have it`);
  const isOther =
    transaction.transaction.signatures[0] !== signature ||
    transaction.slot !== slot ||
    (transaction.blockTime ?? blockTime ?? 0) !== (blockTime ?? transaction.blockTime ?? 0);
  if (isOther) throw call.fault('broken', `sent another transaction than ${signature} as listed`);
  return transaction;
}

async function blockAt(call: NodeCall, slot: number): Promise<SolanaBlock | undefined> {
  const options = {
    commitment: 'finalized',
    transactionDetails: 'none',
    rewards: false,
    maxSupportedTransactionVersion: NEWEST_VERSION,
  };
  try {
    const result = await askRpc(call, 'getBlock', [slot, options]);
    const block = call.check(checkBlock, result);
    if (block === null) return undefined;
    const { blockhash: hash, blockTime } = block;
    if (blockTime === null || blockTime === undefined) {
      throw call.fault('behind', `doesn't know the time of slot ${slot}`);
    }
    return { height: slot, hash, time: blockTime };
  } catch (error) {
    if (error instanceof RpcError && SKIPPED.has(error.code ?? 0)) return undefined;
    throw faultOf(call, 'getBlock', error);
  }
}

const onMainnet = new WeakSet<SourceNode>();

async function requireMainnet(call: NodeCall): Promise<void> {
  if (onMainnet.has(call.node)) return;
  const genesis = await ask(call, 'getGenesisHash', []);
  if (call.check(checkGenesis, genesis) !== MAINNET) {
    throw call.fault('unfit', "isn't on Solana's mainnet");
  }
  onMainnet.add(call.node);
}

async function ask(call: NodeCall, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return await askRpc(call, method, params);
  } catch (error) {
    throw faultOf(call, method, error);
  }
}

function faultOf(call: NodeCall, method: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const { code = 0 } = error;
  if (BEHIND.has(code)) return call.fault('behind', `hasn't reached it yet (${method})`);
  if (code === ERRORS.signatureNotFound) {
    return call.fault('behind', "doesn't know a signature that was listed");
  }
  if (code === ERRORS.storageUnreachable) {
    return call.fault('unreachable', `can't reach its storage of old slots (${method})`);
  }
  if (UNFIT.has(code)) return call.fault('unfit', `no longer has what was requested (${method})`);
  if (code === ERRORS.unsupportedVersion) {
    return call.fault('refused', 'has a transaction of an unknown version');
  }
  return call.fault('refused', `answered ${method} with error ${code}`);
}
