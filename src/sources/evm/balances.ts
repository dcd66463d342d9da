import { decodeAbiParameters, parseAbiParameters, toEventSelector } from 'viem';
import type { BalanceChange, Holding } from '#scoring';
import type { NodeCall } from '#sources/node/node';
import { compileEvent } from './decode-event.ts';
import {
  addressDigits,
  addressOfDigits,
  addressWordsIn,
  type EvmLog,
  quantityOf,
  WORD,
  ZERO_ADDRESS,
} from './log.ts';
import { headerOf } from './node/headers.ts';
import { CallReverted, type EvmRpc, RpcPruned, RpcRefusal } from './node/rpc.ts';

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

/**
 * The decoders for a kind of token; where balances are asked, of events that name who may hold some. Sources:
 * ERC-20, ERC-721 and ERC-1155, section "Events" of each.
 */
export function balanceDecoders(holding: Holding): readonly BalanceDecoder[] {
  switch (holding.kind) {
    case 'erc20':
      if (holding.by === 'balance') return [...ERC20_EVENTS, ...NAMING_EVENTS].map(anyTransfer);
      return holding.by === undefined ? [{ topic: TRANSFER, read: erc20 }] : ERC20_EVENTS;
    case 'erc721':
      if (holding.by === 'balance') return [...ERC721_EVENTS, ...NAMING_EVENTS].map(anyTransfer);
      return holding.by === undefined ? [{ topic: TRANSFER, read: erc721 }] : ERC721_EVENTS;
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

/**
 * Beside transfers, also those that index nothing: what wrapped natives such as WETH9 log, and CryptoPunks as
 * it hands out its punks, each of which its transfers count as 1.
 */
const ERC20_EVENTS: readonly BalanceDecoder[] = [
  { topic: TRANSFER, read: (log) => erc20(log) ?? plainTransfer(log, undefined) },
  { topic: toEventSelector('Deposit(address,uint256)'), read: (log) => changeOf(log, 1n) },
  { topic: toEventSelector('Withdrawal(address,uint256)'), read: (log) => changeOf(log, -1n) },
  {
    topic: toEventSelector('Assign(address,uint256)'),
    read: (log) => new Map([...(changeOf(log, 1n) ?? [])].map(([address]) => [address, 1n])),
  },
];

/** Of which kind of token a transfer is, by its standard; undefined for other logs. */
export function kindOfTransfer({ topics }: EvmLog): 'erc20' | 'erc721' | 'erc1155' | undefined {
  if (topics[0] === SINGLE || topics[0] === BATCH) return 'erc1155';
  // An amount comes in the data, the id of a collection's token among the topics.
  const kinds = { 3: 'erc20', 4: 'erc721' } as const;
  return topics[0] === TRANSFER ? kinds[topics.length as 3 | 4] : undefined;
}

/** Beside transfers, also those that index the addresses alone, or nothing (CryptoKitties), and ERC-2309's. */
const ERC721_EVENTS: readonly BalanceDecoder[] = [
  {
    topic: TRANSFER,
    read: (log) =>
      erc721(log) ??
      (erc20(log) && moved(log.topics[1], log.topics[2], 1n)) ??
      plainTransfer(log, 1n),
  },
  {
    topic: toEventSelector('ConsecutiveTransfer(uint256,uint256,address,address)'),
    read: consecutive,
  },
];

/**
 * Events that tokens log in place of a transfer, each in its own way, so that they can't be added up: they only name
 * who may hold some. Where they have another form, they are about something else. ERC20Transfer is of ERC-404.
 */
const NAMING_EVENTS: readonly BalanceDecoder[] = [
  ...['Mint', 'Burn', 'Wrap', 'Unwrap'].map((name) => ({
    topic: toEventSelector(`${name}(address,uint256)`),
    read: (log: EvmLog) => changeOf(log, 1n) ?? new Map(),
  })),
  {
    topic: toEventSelector('ERC20Transfer(address,address,uint256)'),
    read: (log) => erc20(log) ?? new Map(),
  },
];

/** A decoder that takes a transfer whatever it indexes, where only whom it names counts. */
function anyTransfer(decoder: BalanceDecoder): BalanceDecoder {
  if (decoder.topic !== TRANSFER) return decoder;
  return { ...decoder, read: (log) => decoder.read(log) ?? named(log) };
}

/**
 * Whom a transfer names. Which of its words are indexed, and so come first, isn't told: an amount that looks like an
 * address is asked for in vain.
 */
function named({ topics, data }: EvmLog): BalanceMoves | undefined {
  if (topics.length - 1 + (data.length - 2) / WORD !== 3) return undefined;
  return new Map(addressWordsIn([...topics.slice(1), data]).map((address) => [address, 1n]));
}

/** @param count what it moves; undefined: the amount in it */
function plainTransfer({ topics, data }: EvmLog, count: bigint | undefined) {
  if (topics.length !== 1 || data.length !== 2 + 3 * WORD) return undefined;
  const [from, to] = [0, 1].map((place) => data.slice(2 + place * WORD, 2 + (place + 1) * WORD));
  return moved(from, to, count ?? wordAt(data, 2));
}

/** An address and an amount, of which the address may be indexed. */
function changeOf({ topics, data }: EvmLog, sign: bigint): BalanceMoves | undefined {
  const words = [...topics.slice(1).map((each) => each.slice(2)), data.slice(2)].join('');
  if (topics.length > 2 || words.length !== 2 * WORD) return undefined;
  const address = addressOfDigits(addressDigits(words.slice(0, WORD)));
  if (address === ZERO_ADDRESS) return new Map();
  return new Map([[address, sign * BigInt(`0x${words.slice(WORD)}`)]]);
}

/** Source: ERC-2309; the last token is included. */
function consecutive({ topics, data }: EvmLog): BalanceMoves | undefined {
  const [, first, from, to] = topics;
  if (topics.length !== 4 || first === undefined || data.length < 2 + WORD) return undefined;
  const count = wordAt(data, 0) - BigInt(first) + 1n;
  return count > 0n ? moved(from, to, count) : undefined;
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
  let answers: readonly unknown[] | undefined;
  let refusal: unknown;
  try {
    answers = await at(quantityOf(height));
  } catch (error) {
    if (error instanceof RpcPruned) throw prunes();
    if (!(error instanceof CallReverted || error instanceof RpcRefusal)) throw error;
    refusal = error;
  }
  const balances = answers?.map(balanceIn);
  if (balances?.every((each) => each !== undefined)) return balances;
  const isAbsent = refusal instanceof CallReverted || answers?.includes('0x') === true;
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
