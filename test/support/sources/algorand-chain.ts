import { expect } from 'vitest';
import { type HttpStandIn, openStandIn, type StandInAnswer } from './http-stand-in.ts';

/** A transaction as the indexer returns it. */
export type IndexedTransaction = Record<string, unknown> & {
  readonly id?: string;
  readonly 'confirmed-round': number;
};

/** What an indexer has, and how it returns it. */
export interface AlgorandChain {
  round: number;
  network: string;
  /** The time of round 0 in seconds since 1970; rounds are 3 seconds apart. */
  readonly genesisTime: number;
  transactions: IndexedTransaction[];
  /** Transactions of earlier rounds are deleted; their headers stay. */
  keptFrom: number;
  /** Rows per page, however many were requested. */
  pageMost: number;
  /** Changes a page before it's sent. */
  garble: (page: IndexedTransaction[]) => readonly IndexedTransaction[];
}

export interface IndexerStandIn extends HttpStandIn {
  readonly chain: AlgorandChain;
}

const LIMIT_MOST = 10_000;

/** An indexer by its published schema, which knows nothing beyond `chain`. */
export async function openIndexer(of?: Partial<AlgorandChain>): Promise<IndexerStandIn> {
  const chain: AlgorandChain = {
    round: 1_000,
    network: 'mainnet-v1.0',
    genesisTime: 1_700_000_000,
    transactions: [],
    keptFrom: 0,
    pageMost: LIMIT_MOST,
    garble: (page) => page,
    ...of,
  };
  const standIn = await openStandIn(({ method, url }) => {
    expect(method).toBe('GET');
    if (url.pathname === '/health') {
      expect(url.search).toBe('');
      const body = { round: chain.round, 'db-available': true, 'is-migrating': false };
      return { body: { ...body, message: String(chain.round), version: '3.6.0' } };
    }
    if (url.pathname === '/v2/transactions') return transactions(url.searchParams);
    return header(url);
  });

  function header(url: URL): StandInAnswer {
    const [, text] = /^\/v2\/blocks\/(\d+)$/.exec(url.pathname) ?? [];
    expect(text, url.pathname).toBeDefined();
    expect(Object.fromEntries(url.searchParams)).toEqual({ 'header-only': 'true' });
    const round = Number(text);
    if (round > chain.round) return { status: 404, body: { message: 'no rows in result set' } };
    const timestamp = chain.genesisTime + round * 3;
    const counted = chain.transactions.filter((each) => isIn(each, 0, round)).length;
    const header = { round, timestamp, 'genesis-id': chain.network, 'genesis-hash': '=' };
    return { body: { ...header, 'txn-counter': 1_000 + counted } };
  }

  function transactions(query: URLSearchParams): StandInAnswer {
    const asked = Object.fromEntries(query);
    const { 'application-id': app, 'asset-id': asset, 'tx-type': type } = asked;
    const { 'min-round': min, 'max-round': max, limit, next, ...rest } = asked;
    for (const filter of ['application-id', 'asset-id', 'tx-type']) delete rest[filter];
    expect(rest).toEqual({});
    for (const number of [min, max, limit]) expect(number).toMatch(/^\d+$/);
    expect(app ?? asset ?? (limit === '1' ? '0' : '')).toMatch(/^\d+$/);
    expect(Number(limit)).toBeLessThanOrEqual(LIMIT_MOST);
    expect(Number(min)).toBeLessThanOrEqual(Number(max));
    expect(type ?? 'acfg').toBe('acfg');
    const key = [app, asset, type, min, max].join(' ');
    const matching = chain.transactions
      .filter((each) => isIn(each, Number(min), Math.min(Number(max), chain.round)))
      .filter((each) => each['confirmed-round'] >= chain.keptFrom)
      .filter((each) => matches(each, app, asset, type));
    const from = next === undefined ? 0 : offsetOf(next, key);
    const size = Math.min(Number(limit), chain.pageMost);
    const page = matching.slice(from, from + size);
    const isLast = from + size >= matching.length;
    return {
      body: {
        'current-round': chain.round,
        transactions: chain.garble([...page]),
        ...(!isLast && { 'next-token': tokenOf(from + size, key) }),
      },
    };
  }
  return Object.assign(standIn, { chain });
}

function isIn(transaction: IndexedTransaction, min: number, max: number): boolean {
  const round = transaction['confirmed-round'];
  return min <= round && round <= max;
}

function tokenOf(offset: number, key: string): string {
  return Buffer.from(JSON.stringify([offset, key])).toString('base64url');
}

/** A token is only valid for the query it was issued for. */
function offsetOf(token: string, key: string): number {
  const [offset, of] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [number, string];
  expect(of).toBe(key);
  return offset;
}

/** The indexer's search: a match among the inner transactions returns the whole. */
function matches(
  transaction: Record<string, unknown>,
  app: string | undefined,
  asset: string | undefined,
  type: string | undefined,
): boolean {
  const called = (transaction['application-transaction'] ?? {}) as Record<string, unknown>;
  const moved = (transaction['asset-transfer-transaction'] ?? {}) as Record<string, unknown>;
  const config = (transaction['asset-config-transaction'] ?? {}) as Record<string, unknown>;
  const apps = [called['application-id'], transaction['created-application-index']];
  const assets = [moved['asset-id'], config['asset-id'], transaction['created-asset-index']];
  const isMatch =
    (app === undefined || apps.some((each) => String(each) === app)) &&
    (asset === undefined || assets.some((each) => String(each) === asset)) &&
    (type === undefined || transaction['tx-type'] === type);
  const inner = (transaction['inner-txns'] ?? []) as Record<string, unknown>[];
  return isMatch || inner.some((each) => matches(each, app, asset, type));
}
