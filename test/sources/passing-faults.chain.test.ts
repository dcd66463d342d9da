import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceInput } from '#scoring/inputs/input';
import { SnapshotSource } from '#sources/snapshot/index';
import type { ChainSource } from '#sources/source';
import { EvmChain, openChainNode } from '../support/evm-chain.ts';
import { INPUTS as EVM_INPUTS, LOGS, open as openEvm } from '../support/evm-reading.ts';
import { EFFORT, SEED } from '../support/random.ts';
import { fileOf, validRules } from '../support/rules.ts';
import { openIndexer } from '../support/sources/algorand-chain.ts';
import * as algorand from '../support/sources/algorand-source.ts';
import { AlgorandLedger, accountOf, assetTransfer } from '../support/sources/algorand-world.ts';
import type { HttpStandIn, StandInRequest } from '../support/sources/http-stand-in.ts';
import { inputsFor, readAll, told } from '../support/sources/read-all.ts';
import { openHub } from '../support/sources/snapshot-hub.ts';
import { keyNamed, openSolanaNode } from '../support/sources/solana-chain.ts';
import * as solana from '../support/sources/solana-source.ts';

/** What a proxy that mixes requests up may send. */
const ANOTHER = '{"jsonrpc":"2.0","id":"another","result":[]}';

/** Responses in place of the right one that the servers of all chains may send. */
const SENT: Partial<Record<string, string>> = {
  'cut short': '{"jsonrpc":"2.0","id":1,"res',
  null: 'null',
  'another answer': ANOTHER,
  'earlier answer': '{"jsonrpc":"2.0","id":0,"result":[]}',
  'no gzip': '{}',
  page: '<!doctype html><title>Sign in</title>',
  list: '[]',
  text: '"ok"',
};
const GZIP = { 'Content-Encoding': 'gzip' };

/** What a node sends that failed for a moment; those without JSON-RPC use a status for it. */
const INTERNAL = { code: -32603, message: 'Internal error' };

/** A chain behind one node, and what a fifth of its responses are in place of the right ones. */
interface Reading {
  readonly chain: ChainSource;
  readonly inputs: readonly SourceInput[];
  requests(): number;
  /** @param faultOf what a request gets; undefined: the right response */
  disturb(faultOf: () => Fault | undefined): void;
}

const FAULTS = [
  'reset',
  'bad gateway',
  'gateway timeout',
  'internal error',
  'cut short',
  'error page',
  'null',
  'another answer',
  'earlier answer',
  'no gzip',
  'page',
  'list',
  'text',
  'behind',
] as const;
type Fault = (typeof FAULTS)[number];
const STATUSES = { 'bad gateway': 502, 'gateway timeout': 504, 'error page': 503 };

/**
 * @param lag lets the node know less for one response
 * @param isHead whether a request asks how far the node knows
 */
function disturbStandIn(
  standIn: HttpStandIn,
  faultOf: () => Fault | undefined,
  lag: (isLagging: boolean) => void = () => undefined,
  isHead: (request: StandInRequest) => boolean = () => true,
): void {
  standIn.instead = (request) => {
    lag(false);
    const fault = faultOf();
    switch (fault) {
      case 'reset':
        return 'reset';
      case 'bad gateway':
        return { status: 502, body: '<html>' };
      case 'gateway timeout':
        return { status: 504, body: '<html>' };
      case 'internal error': {
        const isRpc = request.body.includes('"jsonrpc"');
        return isRpc
          ? { body: { jsonrpc: '2.0', error: INTERNAL } }
          : { status: 500, body: INTERNAL };
      }
      case 'error page':
        return { status: 503, body: { error: 'down' } };
      case 'behind':
        if (!isHead(request)) lag(true);
        return undefined;
      case undefined:
        return undefined;
      default:
        return { body: SENT[fault], headers: fault === 'no gzip' ? GZIP : {} };
    }
  };
}

async function overAlgorand(): Promise<Reading> {
  const ledger = new AlgorandLedger(1_700_000_000);
  for (let round = 5; round < 30_000; round += 700) {
    ledger.send(round, assetTransfer(7, accountOf(2), { receiver: accountOf(1), amount: 1 }));
  }
  const node = await openIndexer({
    ...{ genesisTime: 1_700_000_000, round: 30_000, transactions: ledger.transactions },
  });
  const inputs = algorand.inputs(algorand.rule('asset: 7, transfer: received', 'receiver'));
  return {
    ...{ chain: algorand.sourceOf(node), inputs, requests: () => node.requests.length },
    disturb: (faultOf) =>
      disturbStandIn(
        node,
        faultOf,
        (isLagging) => {
          node.chain.round = isLagging ? 10 : 30_000;
        },
        ({ url }) => url.pathname === '/health',
      ),
  };
}

async function overSolana(): Promise<Reading> {
  const node = await openSolanaNode({
    head: 5_000,
    transactions: Array.from({ length: 60 }, (_, i) => ({
      ...{ slot: 5 + i * 80, signer: keyNamed(`signer ${i % 7}`) },
      instructions: [{ program: solana.PROGRAM, data: '07' }],
    })),
  });
  return {
    ...{ chain: solana.sourceOf(node), inputs: solana.inputs(solana.rule('0x07', 'signer')) },
    requests: () => node.requests.length,
    disturb: (faultOf) =>
      disturbStandIn(
        node,
        faultOf,
        (isLagging) => {
          node.chain.head = isLagging ? 10 : 5_000;
        },
        ({ body }) => body.includes('getSlot'),
      ),
  };
}

async function overSnapshot(): Promise<Reading> {
  const end = 1_700_000_000;
  const proposals = Array.from({ length: 12 }, (_, i) => ({
    ...{ id: `p${i}`, space: 'reef.eth', end: end + i * 1_000, scores_state: 'final' },
  }));
  const votes = proposals.flatMap(({ id, end: closed }, i) =>
    Array.from({ length: 40 }, (_, n) => ({
      ...{ id: `v${i}x${n}`, proposal: id, created: closed - 500, vp_state: 'final' },
      voter: `0x${(n + 1).toString(16).padStart(40, '0')}`,
    })),
  );
  const hub = await openHub({ proposals, votes });
  let now = 0;
  const chain = new SnapshotSource({
    id: 'snap',
    urls: [hub.url],
    // As it does for the others: hubs that rest are asked again at once.
    now: () => {
      now += 600_000;
      return now;
    },
  });
  const rule =
    '{id: vote, on: {source: snap, space: reef.eth, since: 2023-11-01}, give: {type: vote, points: 1}}';
  return {
    ...{ chain, inputs: inputsFor(validRules(fileOf(rule)).rules.rules) },
    requests: () => hub.requests.length,
    disturb: (faultOf) => disturbStandIn(hub, faultOf),
  };
}

async function overEvm(): Promise<Reading> {
  const node = await openChainNode(new EvmChain(3_000, LOGS));
  node.does = { widest: 100 };
  return {
    ...{ chain: openEvm([node]), inputs: EVM_INPUTS, requests: () => node.requests },
    disturb(faultOf) {
      node.does.instead = (res, calls) => {
        const fault = faultOf();
        const isHead = calls.some(({ params }) => params[0] === 'finalized');
        node.does.knowsUpTo = fault === 'behind' && !isHead ? 10 : 3_000;
        if (fault === undefined || fault === 'behind') return false;
        if (fault === 'reset') return Boolean(res.destroy());
        if (fault === 'internal error') {
          const failed = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: INTERNAL }));
          return Boolean(res.end(JSON.stringify(calls.length > 1 ? failed : failed[0])));
        }
        const status = STATUSES[fault as keyof typeof STATUSES];
        res.writeHead(status ?? 200, fault === 'no gzip' ? GZIP : {});
        return Boolean(res.end(SENT[fault] ?? '<html>'));
      };
    },
  };
}

describe.each([
  ['an EVM chain', overEvm],
  ['Algorand', overAlgorand],
  ['Solana', overSolana],
  ['Snapshot', overSnapshot],
] as const)('reading %s while every fifth response fails', (_, open) => {
  it('gives the same in at most three times the requests', async () => {
    const plain = await open();
    const expected = await readAll(plain.chain, plain.inputs);
    expect(expected.events.length).toBeGreaterThan(20);
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.nat(4)),
        fc.infiniteStream(fc.constantFrom(...FAULTS)),
        async (fifths, faults) => {
          const reading = await open();
          const next = <T>(stream: IterableIterator<T>) => stream.next().value as T;
          reading.disturb(() => (next(fifths) === 0 ? next(faults) : undefined));
          // A node that fails four times in a row is left alone, and the stretch is read again.
          const { events } = await readAll(reading.chain, reading.inputs, 20);
          expect(told(events)).toEqual(told(expected.events));
          expect(reading.requests()).toBeLessThanOrEqual(3 * plain.requests());
        },
      ),
      { numRuns: EFFORT === 1 ? 2 : 5 * EFFORT, seed: SEED, endOnFailure: true },
    );
  });
});
