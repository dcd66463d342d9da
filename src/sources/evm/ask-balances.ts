import type { NodeCall } from '#sources/node/call';
import { headerOf } from './node/headers.ts';
import { CallReverted, type EvmRpc, RpcPruned, RpcRefusal } from './node/rpc.ts';
import { quantityOf, WORD } from './words.ts';

/** Calls that return balances, at one block. */
export interface BalanceCalls {
  /** At least one. */
  readonly calls: readonly { readonly to: string; readonly data: string }[];
  readonly height: number;
  /** Whether the contract is known to have been there. */
  readonly isThere: boolean;
}

/**
 * Asks a node for balances.
 * @returns undefined if the contract tells none
 * @throws NodeFault; of kind `pruned` if the node has no balances that old
 */
export async function askBalances(
  call: NodeCall,
  rpc: EvmRpc,
  { calls, height, isThere }: BalanceCalls,
): Promise<readonly bigint[] | undefined> {
  const at = (block: string) =>
    rpc.ask(
      call,
      calls.map((each) => ({ method: 'eth_call', params: [each, block] })),
      { isWhole: true },
    );
  const prunes = () =>
    call.fault('pruned', `keeps no balances of block ${height}: use an archive node`);
  let told: readonly unknown[] | undefined;
  let refusal: unknown;
  try {
    told = await at(quantityOf(height));
  } catch (error) {
    if (error instanceof RpcPruned) throw prunes();
    if (!(error instanceof CallReverted || error instanceof RpcRefusal)) throw error;
    refusal = error;
  }
  const balances = told?.map(balanceIn);
  if (balances?.every((each) => each !== undefined)) return balances;
  const isAbsent = refusal instanceof CallReverted || told?.includes('0x') === true;
  // Before it was deployed.
  if (isAbsent && !isThere) return undefined;
  // Clients have no common word for what they have pruned: some refuse it, some send null, no data, or an error of
  // the contract. A node that has the block, and whose contract answers now, has pruned it.
  await headerOf(call, rpc, height);
  const now = await at('latest').catch((error: unknown) => {
    if (error instanceof CallReverted || error instanceof RpcRefusal) return [];
    throw error;
  });
  if (now.length > 0 && now.every((each) => balanceIn(each) !== undefined)) throw prunes();
  if (isAbsent) return undefined;
  throw refusal ?? call.fault('broken', 'sent something other than a balance');
}

/** The first word of a result. What comes after it means nothing to callers of contracts either. */
function balanceIn(result: unknown): bigint | undefined {
  if (typeof result !== 'string' || !/^0x[0-9a-f]{64,}$/i.test(result)) return undefined;
  return BigInt(result.slice(0, 2 + WORD));
}
