import { onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import { inputsBySource } from '#scoring/inputs/input';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import { EvmSource, type EvmSourceOptions } from '#sources/evm/evm-source';
import { HostPaces } from '#sources/host-pace';
import { type ChainLog, type ChainNode, EvmChain, openChainNode, word } from './evm-chain.ts';
import { validRules } from './rules.ts';

const GOVERNOR = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const VOTE = '0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const A = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
export const B = '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb';

const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: vote
    on: {source: eth, contract: ${GOVERNOR}, event: "VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)", since: 1}
    wallet: voter
    give: {type: vote, points: 50}
  - id: lp
    hold: {source: eth, erc20: ${TOKEN}, min: 100, since: 1}
    give: {type: holding, points: 3}
`;
/** Of the governor and the token, which have no event in common. */
export const FILTERS = 2;
export const INPUTS = inputsBySource([validRules(RULES).rules]).get('eth') ?? [];

function vote(block: number, voter: string, proposal: number, reason = ''): ChainLog {
  const text = Buffer.from(reason);
  const words = Math.ceil(text.length / 32) * 64;
  return {
    ...{ block, address: GOVERNOR.toLowerCase(), topics: [VOTE, `0x${word(voter)}`] },
    data: `0x${word(proposal)}${word(1)}${word(10n ** 18n)}${word(128)}${word(text.length)}${text.toString('hex').padEnd(words, '0')}`,
  };
}

function transfer(block: number, from: string, to: string, amount: bigint): ChainLog {
  const topics = [TRANSFER, `0x${word(from)}`, `0x${word(to)}`];
  return { block, address: TOKEN.toLowerCase(), topics, data: `0x${word(amount)}` };
}

export const LOGS = [
  ...Array.from({ length: 60 }, (_, i) => vote(5 + i * 50, i % 2 ? A : B, i, `reason ${i} ✓`)),
  transfer(100, word(0), A, 2n ** 255n),
  transfer(100, A, B, 7n),
  transfer(2_990, B, B, 3n),
  // Another standard's event with the same topic, which isn't a transfer of this token.
  {
    ...transfer(200, A, B, 1n),
    topics: [TRANSFER, `0x${word(A)}`, `0x${word(B)}`, `0x${word(1)}`],
    data: '0x',
  },
];

export function open(
  nodes: readonly ChainNode[],
  options: Partial<EvmSourceOptions> = {},
): EvmSource {
  const paces = new HostPaces();
  const source = new EvmSource({
    source: { id: 'eth', chain: 'eip155:1', depth: undefined },
    ...{
      urls: nodes.map(({ url }) => url),
      paces,
      timeoutMs: 3_000,
      restMs: { first: 1, most: 5 },
    },
    ...options,
  });
  onTestFinished(async () => {
    await source.close();
    paces.close();
  });
  return source;
}

export const { signal } = new AbortController();

/** Reads everything. */
export async function readAll(source: EvmSource, tries = 1): Promise<SourceEvent[]> {
  return readFrom(source, await source.begin({ kind: 'height', height: 1n }, signal), tries);
}

export async function readFrom(
  source: EvmSource,
  from: SourcePosition,
  tries = 1,
): Promise<SourceEvent[]> {
  const all: SourceEvent[] = [];
  let at = from;
  const { height: upTo } = await source.end(signal);
  for (let left = tries; at.height < upTo; ) {
    try {
      const { events, end } = await source.read({ inputs: INPUTS, from: at, upTo, signal });
      all.push(...events);
      at = end;
    } catch (error) {
      if (!(error instanceof RetryableError) || --left <= 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  return all;
}

let plain: readonly SourceEvent[] | undefined;

/** What a node that works correctly gives of the logs above, which is read once. @param head the last block */
export async function expected(head = 3_000): Promise<readonly SourceEvent[]> {
  plain ??= await readPlainly(new EvmChain(3_000, LOGS));
  return plain.filter(({ height }) => height <= head);
}

export const readPlainly = async (chain: EvmChain) => readAll(open([await openChainNode(chain)]));
