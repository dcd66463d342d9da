import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bytes32, CHAIN_ID, headOf, hex, logOf, timeOf, type VoteChain } from './votes.ts';

/** A node of the chain of votes. It answers from texts made beforehand, so that it's never what is slow. */

const [votes = 0, perBlock = 1] = process.argv.slice(2).map(Number);
const chain: VoteChain = { votes, perBlock };
const head = headOf(chain);
/** The logs of each block as JSON, without brackets. */
const blocks: string[] = [''];
for (let first = 0; first < votes; first += perBlock) {
  const logs = Array.from({ length: perBlock }, (_, i) => JSON.stringify(logOf(chain, first + i)));
  blocks.push(logs.join());
}

const NO_HASH = `0x${'0'.repeat(64)}`;
const BLOOM = `0x${'ff'.repeat(256)}`;

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** What was asked for, as GET tells it. */
const counts = { requests: 0, ranges: 0, firstAt: 0 };

function header(height: number, isFull: boolean): object | null {
  if (!(height >= 0 && height <= head)) return null;
  const sender = `0x${'1'.repeat(40)}`;
  const hasVotes = (blocks[height] ?? '') !== '';
  const place = (index: number) => (height - 1) * perBlock + index;
  const transaction = (index: number) => ({
    ...{
      hash: bytes32(30, place(index)),
      blockHash: bytes32(40, height),
      blockNumber: hex(height),
    },
    ...{ from: sender, to: sender, gas: '0x5208', gasPrice: '0x1', value: '0x0', input: '0x' },
    ...{
      nonce: hex(place(index)),
      transactionIndex: hex(index),
      type: '0x0',
      chainId: hex(CHAIN_ID),
    },
    ...{ v: '0x1b', r: '0x1', s: '0x1' },
  });
  const all = hasVotes ? Array.from({ length: perBlock }, (_, i) => i) : [];
  return {
    ...{ number: hex(height), hash: bytes32(40, height), timestamp: hex(timeOf(height)) },
    parentHash: height === 0 ? NO_HASH : bytes32(40, height - 1),
    ...{ logsBloom: BLOOM, miner: sender, difficulty: '0x0', totalDifficulty: '0x0', size: '0x0' },
    ...{ gasLimit: '0x1c9c380', gasUsed: '0x0', baseFeePerGas: '0x1', extraData: '0x' },
    ...{ nonce: '0x0000000000000000', mixHash: NO_HASH, sha3Uncles: NO_HASH, uncles: [] },
    ...{ stateRoot: NO_HASH, receiptsRoot: NO_HASH, transactionsRoot: NO_HASH },
    transactions: all.map((i) => (isFull ? transaction(i) : bytes32(30, place(i)))),
  };
}

/** The result as JSON. */
function resultOf({ method, params = [] }: Call): string {
  const [first, second] = params;
  switch (method) {
    case 'eth_chainId':
      return `"${hex(CHAIN_ID)}"`;
    case 'eth_blockNumber':
      return `"${hex(head)}"`;
    case 'eth_getBlockByNumber': {
      const isTag = typeof first === 'string' && !first.startsWith('0x');
      return JSON.stringify(header(isTag ? head : Number(first), second === true));
    }
    case 'eth_getLogs': {
      counts.ranges += 1;
      counts.firstAt ||= Date.now();
      const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
      const found = blocks
        .slice(Number(fromBlock), Number(toBlock) + 1)
        .filter((each) => each !== '');
      return `[${found.join()}]`;
    }
    default:
      throw new Error(`${method} isn't known here`);
  }
}

function answerTo(call: Call): string {
  const id = JSON.stringify(call.id);
  try {
    return `{"jsonrpc":"2.0","id":${id},"result":${resultOf(call)}}`;
  } catch (error) {
    const message = JSON.stringify((error as Error).message);
    return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":${message}}}`;
  }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const server = createServer(async (req, res) => {
  if (req.method === 'GET') {
    res.end(JSON.stringify(counts));
    return;
  }
  counts.requests += 1;
  const asked = JSON.parse(await bodyOf(req)) as Call | readonly Call[];
  res.setHeader('content-type', 'application/json');
  res.end(Array.isArray(asked) ? `[${asked.map(answerTo).join()}]` : answerTo(asked as Call));
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
});
