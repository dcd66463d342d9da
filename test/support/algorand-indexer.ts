import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { type Misbehaviour, misbehave } from './misbehaviour.ts';

const ROUND = 45_000_000;
const ACCOUNT = /^\/idx\/kEyInPaTh\/v2\/accounts\/([A-Z2-7]{58})$/;
const BLOCK = /^\/idx\/kEyInPaTh\/v2\/blocks\/(\d+)$/;

/** A response with its status. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** An Algorand indexer or algod that can be made to misbehave and to lie. */
export interface TestIndexer {
  /** Has secrets in its password, path and query. */
  readonly url: string;
  readonly secrets: readonly string[];
  /** `account` or `block` for each request. */
  readonly asked: ('account' | 'block')[];
  /** The authority's address, for each rekeyed account. */
  readonly rekeyed: Map<string, string>;
  /** Accounts that were never used. */
  readonly unused: Set<string>;
  kind: 'indexer' | 'algod';
  network: string;
  /** Seconds since the newest block. */
  blockAge: number;
  /** Overrides the response. */
  instead: (what: 'account' | 'block') => Misbehaviour | Answer | undefined;
}

/** Closed after the test, which fails if a request was one that neither would understand. */
export async function openAlgorandIndexer(): Promise<TestIndexer> {
  const faults: unknown[] = [];
  const server = createServer((req, res) => {
    try {
      answer(req, res);
    } catch (error) {
      faults.push(error);
      res.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    expect(faults).toEqual([]);
  });

  function answer(req: IncomingMessage, res: ServerResponse): void {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost');
    expect(req.method).toBe('GET');
    expect(req.headers['accept-encoding']).toBe('identity');
    expect(req.headers.authorization).toBe(`Basic ${btoa('user:pAsSwOrD')}`);
    const address = ACCOUNT.exec(pathname)?.[1];
    const round = BLOCK.exec(pathname)?.[1];
    const what = address === undefined ? 'block' : 'account';
    indexer.asked.push(what);
    const instead = indexer.instead(what);
    const query = Object.fromEntries(searchParams);
    if (address === undefined) {
      expect(query).toEqual({ key: 'kEyInQuErY', 'header-only': 'true' });
      expect(round).toBe(String(ROUND));
    } else {
      expect(query).toEqual({ key: 'kEyInQuErY', exclude: 'all' });
    }
    const isMisbehaving = typeof instead === 'string';
    const truth = isMisbehaving ? undefined : instead;
    const said = truth ?? (address === undefined ? block() : account(address));
    const body = JSON.stringify(said.body);
    if (isMisbehaving) misbehave(res, instead, body);
    else res.writeHead(said.status, { 'Content-Type': 'application/json' }).end(body);
  }

  function account(address: string): Answer {
    const authority = indexer.rekeyed.get(address);
    const fields = {
      address,
      amount: 100_000,
      round: ROUND,
      status: 'Offline',
      ...(authority !== undefined && { 'auth-addr': authority }),
    };
    // To an algod, an account that was never used looks like an empty one.
    if (indexer.kind === 'algod') return { status: 200, body: fields };
    return indexer.unused.has(address)
      ? { status: 404, body: { message: `no accounts found for address: ${address}` } }
      : { status: 200, body: { account: fields, 'current-round': ROUND } };
  }

  function block(): Answer {
    const seconds = Math.floor(Date.now() / 1000) - indexer.blockAge;
    return indexer.kind === 'algod'
      ? { status: 200, body: { block: { gen: indexer.network, rnd: ROUND, ts: seconds } } }
      : { status: 200, body: { 'genesis-id': indexer.network, round: ROUND, timestamp: seconds } };
  }

  const { port } = server.address() as AddressInfo;
  const indexer: TestIndexer = {
    url: `http://user:pAsSwOrD@127.0.0.1:${port}/idx/kEyInPaTh/?key=kEyInQuErY`,
    secrets: ['pAsSwOrD', 'kEyInPaTh', 'kEyInQuErY', String(port)],
    asked: [],
    rekeyed: new Map(),
    unused: new Set(),
    kind: 'indexer',
    network: 'mainnet-v1.0',
    blockAge: 3,
    instead: () => undefined,
  };
  return indexer;
}
