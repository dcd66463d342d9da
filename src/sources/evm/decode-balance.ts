import { decodeAbiParameters, parseAbiParameters, toEventSelector } from 'viem';
import type { BalanceChange, Holding } from '#core/scoring/model';
import { compileEvent } from './decode-event.ts';
import type { EvmLog } from './log.ts';
import { addressDigits, addressOfDigits, WORD, ZERO_ADDRESS } from './words.ts';

/** Balance changes by canonical address. */
type BalanceMoves = ReadonlyMap<string, bigint>;

/** Decodes one kind of event that changes balances. */
export interface BalanceDecoder {
  /** The first topic of the logs it decodes. */
  readonly topic: string;
  /** @returns undefined if the log isn't this event */
  readonly read: (log: EvmLog) => BalanceMoves | undefined;
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');
const LISTS = parseAbiParameters('uint256[], uint256[]');

/** The decoders for a kind of token. Sources: ERC-20, ERC-721 and ERC-1155, section "Events" of each. */
export function balanceDecoders(holding: Holding): readonly BalanceDecoder[] {
  switch (holding.kind) {
    case 'erc20':
      return [{ topic: TRANSFER, read: erc20 }];
    case 'erc721':
      return [{ topic: TRANSFER, read: erc721 }];
    case 'erc1155':
      return [
        { topic: SINGLE, read: (log) => erc1155Single(log, holding.token) },
        { topic: BATCH, read: (log) => erc1155Batch(log, holding.token) },
      ];
    case 'contract':
      return [changeDecoder(holding.plus, 1n), changeDecoder(holding.minus, -1n)];
    case 'asa':
      return [];
  }
}

function erc20({ topics, data }: EvmLog): BalanceMoves | undefined {
  if (topics.length !== 3 || data.length < 2 + WORD) return undefined;
  return moved(topics[1], topics[2], wordAt(data, 0));
}

function erc721({ topics }: EvmLog): BalanceMoves | undefined {
  return topics.length === 4 ? moved(topics[1], topics[2], 1n) : undefined;
}

function erc1155Single({ topics, data }: EvmLog, token: bigint): BalanceMoves | undefined {
  if (topics.length !== 4 || data.length < 2 + 2 * WORD) return undefined;
  return moved(topics[2], topics[3], wordAt(data, 0) === token ? wordAt(data, 1) : 0n);
}

function erc1155Batch({ topics, data }: EvmLog, token: bigint): BalanceMoves | undefined {
  if (topics.length !== 4) return undefined;
  try {
    const [ids, values] = decodeAbiParameters(LISTS, data as `0x${string}`);
    const amount = ids.reduce((sum, id, i) => (id === token ? sum + (values[i] ?? 0n) : sum), 0n);
    return moved(topics[2], topics[3], amount);
  } catch {
    return undefined;
  }
}

function changeDecoder({ event, wallet, amount }: BalanceChange, sign: bigint): BalanceDecoder {
  const decode = compileEvent(event);
  return {
    topic: toEventSelector(event.text),
    read(log) {
      const args = decode(log);
      const [address, size] = [args?.[wallet], args?.[amount]];
      if (address === undefined || size === undefined) return undefined;
      return new Map(address === ZERO_ADDRESS ? [] : [[address, sign * BigInt(size)]]);
    },
  };
}

/** The zero address holds nothing, and a transfer to oneself changes nothing. */
function moved(from: string | undefined, to: string | undefined, amount: bigint): BalanceMoves {
  const moves = new Map<string, bigint>();
  if (from === undefined || to === undefined || amount === 0n) return moves;
  for (const [topic, change] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    const address = addressOfDigits(addressDigits(topic));
    if (address !== ZERO_ADDRESS) moves.set(address, (moves.get(address) ?? 0n) + change);
  }
  for (const [address, change] of moves) if (change === 0n) moves.delete(address);
  return moves;
}

function wordAt(data: string, place: number): bigint {
  return BigInt(`0x${data.slice(2 + place * WORD, 2 + (place + 1) * WORD)}`);
}

/** The call that returns a balance. @returns undefined if the contract has no such balance */
export function balanceCall(
  holding: Holding,
  address: string,
): { readonly to: string; readonly data: string } | undefined {
  const owner = address.slice(2).toLowerCase().padStart(WORD, '0');
  switch (holding.kind) {
    case 'erc20':
    case 'erc721':
      return { to: holding.contract, data: `${BALANCE_OF}${owner}` };
    case 'erc1155': {
      const token = holding.token.toString(16).padStart(WORD, '0');
      return { to: holding.contract, data: `${BALANCE_OF_TOKEN}${owner}${token}` };
    }
    default:
      return undefined;
  }
}

/** The selectors of `balanceOf(address)` and `balanceOf(address,uint256)`. */
const BALANCE_OF = '0x70a08231';
const BALANCE_OF_TOKEN = '0x00fdd58e';
