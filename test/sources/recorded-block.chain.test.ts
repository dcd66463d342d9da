import { getAddress, type Log, parseAbi, parseEventLogs } from 'viem';
import { expect, it } from 'vitest';
import { inputsBySource, type SourceInput } from '#scoring/inputs/input';
import { EvmChain, openChainNode } from '../support/evm-chain.ts';
import { open, signal } from '../support/evm-reading.ts';
import { validRules } from '../support/rules.ts';
import recorded from './vectors/evm-block.json' with { type: 'json' };

/* A block of Ethereum as a node gave it, read like any other and compared with another decoder. */

const { block, logs } = recorded;
const HEIGHT = Number(block.number);
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256';
/** An event with its contracts, and the argument that is the wallet. */
const EVENTS = [
  { on: [WETH, USDC], event: `${TRANSFER} value)`, wallet: 'to' },
  { on: [WETH], event: 'Deposit(address indexed dst, uint256 wad)', wallet: 'dst' },
  { on: [WETH], event: 'Withdrawal(address indexed src, uint256 wad)', wallet: 'src' },
  {
    on: logs.filter(({ topics }) => topics.length === 4).map(({ address }) => getAddress(address)),
    event: `${TRANSFER} indexed tokenId)`,
    wallet: 'to',
  },
] as const;

class RecordedChain extends EvmChain {
  override header(height: number): object {
    if (height === HEIGHT) return block;
    const below = height === HEIGHT - 1 ? { hash: block.parentHash } : {};
    return { ...super.header(height), ...below };
  }

  override logsIn(
    from: number,
    to: number,
    addresses?: readonly string[],
    topics?: readonly string[],
  ): object[] {
    if (from > HEIGHT || to < HEIGHT) return [];
    const all = { blockNumber: block.number, blockHash: block.hash, removed: false };
    return logs
      .filter(({ address }) => addresses?.includes(address) !== false)
      .filter(({ topics: [topic = ''] }) => topics?.includes(topic) !== false)
      .map((log) => ({ ...log, ...all }));
  }
}

/** Of a log, what both decoders must agree on. */
interface Decoded {
  readonly wallet: string;
  readonly transaction: string;
  readonly args: Readonly<Record<string, string>>;
}

/** What viem finds of an event, in the order of the block. */
function decodedByViem({ on, event, wallet }: (typeof EVENTS)[number]): Decoded[] {
  const ofThese = logs.filter(({ address }) =>
    (on as readonly string[]).includes(getAddress(address)),
  );
  const parsed = parseEventLogs({
    abi: parseAbi([`event ${event}`] as readonly string[]),
    logs: ofThese as unknown as Log[],
    strict: true,
  }) as unknown as { transactionHash: string; args: Record<string, unknown> }[];
  return parsed.map(({ transactionHash, args }) => ({
    wallet: String(args[wallet]),
    transaction: transactionHash,
    args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])),
  }));
}

it('A recorded block of Ethereum is read whole, in order, as another decoder has it', async () => {
  const time = Number(block.timestamp);
  const chain = new RecordedChain(HEIGHT);
  chain.genesis = time - HEIGHT * 12;
  const rules = EVENTS.map(
    ({ on, event, wallet }, i) =>
      `  - {id: r${i}, on: {source: eth, contract: [${on.join(', ')}], event: "${event}", since: ${HEIGHT}}, wallet: ${wallet}, give: {type: any, points: 1}}`,
  );
  const text = `fathom: 1\nname: test\nversion: 1\nsources:\n  eth: {chain: "eip155:1", rpc: [NODE]}\nrules:\n${rules.join('\n')}\n`;
  const inputs = inputsBySource([validRules(text).rules]).get('eth') ?? [];
  const source = open([await openChainNode(chain), await openChainNode(chain)]);
  const from = await source.begin({ kind: 'height', height: BigInt(HEIGHT) }, signal);
  const { events, end } = await source.read({ inputs, from, upTo: HEIGHT, signal });
  expect(end).toMatchObject({ height: HEIGHT, hash: block.hash });
  const isOf = (input: SourceInput | undefined, { on, event }: (typeof EVENTS)[number]) =>
    input?.kind === 'evm-event' &&
    (on as readonly string[]).includes(getAddress(input.contract)) &&
    event.startsWith(`${input.events[0]?.name}(`);
  const found = EVENTS.map((of) =>
    events
      .filter((each) => isOf(inputs[each.input], of))
      .map(({ wallet, transaction, args }) => {
        return { wallet: wallet.address, transaction, args: JSON.parse(args) };
      }),
  );
  const wanted = EVENTS.map(decodedByViem);
  expect(wanted.map(({ length }) => length)).toEqual([58, 23, 6, 8]);
  expect(found).toEqual(wanted);
  expect(events.every((each) => each.height === HEIGHT && each.time === time)).toBe(true);
  const places = logs.map(({ transactionHash }) => transactionHash);
  const order = events.map(({ transaction }) => places.indexOf(transaction));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});
