import { isSameSymbol } from '#scoring';
import { CallReverted, type EvmRpc } from '#sources/evm/node/rpc';
import type { NodeCall } from '#sources/node/node';
import type { TokenUnit } from '#sources/source';

/** Selectors of what contracts are asked. */
const ASK = {
  ...{ decimals: '0x313ce567', symbol: '0x95d89b41' },
  /** Governors, vaults and staking contracts name their token by one of these. */
  token: ['0xfc0c546a', '0x38d52e0f', '0x72f702f3'],
} as const;

const WORD = 64;
/** Bytes of a symbol; longer ones aren't read on. */
const SYMBOL_BYTES = 256n;

/**
 * What a token contract says of itself; if it isn't of the wanted symbol, the token that it names.
 * @returns undefined if there's no code that answers
 */
export async function readTokenUnit(
  call: NodeCall,
  rpc: EvmRpc,
  contract: string,
  wanted: string | undefined,
): Promise<TokenUnit | undefined> {
  const isWanted = (unit: TokenUnit | undefined) =>
    wanted === undefined || (unit !== undefined && isSameSymbol(wanted, unit.symbol));
  const own = await unitOf(call, rpc, contract);
  if (isWanted(own)) return own;
  for (const selector of ASK.token) {
    const answer = await ask(call, rpc, contract, selector);
    const address = answer?.length === WORD ? /^0{24}([0-9a-f]{40})$/.exec(answer)?.[1] : undefined;
    if (address === undefined) continue;
    const named = await unitOf(call, rpc, `0x${address}`);
    if (isWanted(named)) return named;
  }
  return own;
}

async function unitOf(
  call: NodeCall,
  rpc: EvmRpc,
  contract: string,
): Promise<TokenUnit | undefined> {
  const decimals = await ask(call, rpc, contract, ASK.decimals);
  const symbol = await ask(call, rpc, contract, ASK.symbol);
  if (decimals === undefined && symbol === undefined) return undefined;
  return { symbol: symbolIn(symbol ?? ''), decimals: smallIn(decimals ?? '') };
}

/** @returns hex digits without 0x; undefined if the contract doesn't answer that */
async function ask(
  call: NodeCall,
  rpc: EvmRpc,
  to: string,
  data: string,
): Promise<string | undefined> {
  try {
    const asked = [{ method: 'eth_call', params: [{ to, data }, 'latest'] }];
    const [returned] = await rpc.ask(call, asked, { isWhole: true });
    if (typeof returned !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(returned)) {
      throw call.fault('broken', 'sent an unexpected response');
    }
    return returned === '0x' ? undefined : returned.slice(2).toLowerCase();
  } catch (error) {
    if (error instanceof CallReverted) return undefined;
    throw error;
  }
}

function smallIn(hex: string): number | undefined {
  if (hex.length < WORD) return undefined;
  const value = BigInt(`0x${hex.slice(0, WORD)}`);
  return value > 255n ? undefined : Number(value);
}

/** A string, or 32 bytes as older tokens have it. */
function symbolIn(hex: string): string {
  if (hex.length === WORD) return textOf(hex.replace(/(00)+$/, ''));
  if (hex.length < 2 * WORD) return '';
  const length = BigInt(`0x${hex.slice(WORD, 2 * WORD)}`);
  if (length > SYMBOL_BYTES) return '';
  return textOf(hex.slice(2 * WORD, 2 * WORD + Number(length) * 2));
}

function textOf(hex: string): string {
  return new TextDecoder().decode(Buffer.from(hex, 'hex'));
}
