import type { FastifyRequest } from 'fastify';
import { placeIn } from '#commands/answering';
import { pageOf, type ReputationSource } from '#reputation';
import { CHAIN_CODES, type Chain, chainOfCode } from '#wallet';
import { type FindOptions, findWallets } from './find-wallet.ts';
import {
  type BoardNote,
  type BoardQuery,
  leaderboardPage,
  leaderboardPath,
} from './leaderboard-page.ts';
import { type PageReader, pathFor } from './reader.ts';
import type { PageOutcome, PublicRoute, RouteAnswer } from './route.ts';

/** Rows per page. */
const PAGE_SIZE = 50;
const CHOICES = ['all', ...CHAIN_CODES] as const;

export interface LeaderboardRouteOptions extends FindOptions {
  readonly source: ReputationSource;
}

/** `/leaderboard?page=&chain=&wallet=`, and `?find=`, which redirects to the page with a wallet's row. */
export function leaderboardPageRoute(options: LeaderboardRouteOptions): PublicRoute {
  const { source } = options;
  return {
    url: '/leaderboard',
    answer(request, reader) {
      const query = readQuery(request);
      if (query === undefined) {
        return { key: '/leaderboard?', make: () => ({ lost: 'page', status: 400 }) };
      }
      const typed = textOf(request, 'find');
      return typed === '' ? shown(query, reader) : find(typed, query, reader);
    },
  };

  function shown(query: BoardQuery, reader: PageReader, note?: BoardNote): RouteAnswer {
    const { chain, page, wallet = '' } = query;
    const mark = note === undefined ? wallet : `? ${note.typed}`;
    return {
      key: `/leaderboard ${chain} ${page} ${mark}`,
      make: () => outcome(query, reader, note),
    };
  }

  async function outcome(
    query: BoardQuery,
    reader: PageReader,
    note: BoardNote | undefined,
  ): Promise<PageOutcome> {
    const reading = source.reading('visitor');
    const chain = filterOf(query.chain);
    const limit = PAGE_SIZE;
    let board = await reading.leaderboard({ chain, limit, offset: (query.page - 1) * limit });
    const page = pageOf(query.page, board.total, limit);
    if (page.page !== query.page) {
      board = await reading.leaderboard({ chain, limit, offset: page.offset });
    }
    const chainOf = (address: string): Chain | undefined => {
      if (chain !== 'all') return chain;
      return (source.recognise(address) ?? options.wallets.parse(address)).chain;
    };
    const content = { board, page, query, note, reading, chainOf };
    return {
      page: leaderboardPage(content, reader),
      ...(note !== undefined && { status: 404 as const }),
    };
  }

  async function find(typed: string, query: BoardQuery, reader: PageReader): Promise<RouteAnswer> {
    const reading = source.reading('visitor');
    const found = await findWallets(typed, reading, options);
    const [first, ...others] = found;
    if (first === undefined || others.length > 0) {
      return shown(query, reader, { typed, candidates: found });
    }
    const wallet = source.recognise(first.address) ?? options.wallets.parse(first.address);
    const record = await reading.reputation(wallet);
    if (record === undefined) return shown(query, reader, { typed, candidates: found });
    // Other chains' leaderboards don't list it.
    const chain = filterOf(query.chain) === wallet.chain ? query.chain : 'all';
    const place = await placeIn(reading, filterOf(chain), record);
    const page = Math.floor((place?.offset ?? record.rank - 1) / PAGE_SIZE) + 1;
    const path = leaderboardPath({ chain, page, wallet: wallet.address });
    return { redirect: `${pathFor(reader, path)}#found` };
  }
}

/** @returns undefined if there's no such page */
function readQuery(request: FastifyRequest): BoardQuery | undefined {
  const chain = CHOICES.find((each) => each === (textOf(request, 'chain') || 'all'));
  const page = textOf(request, 'page') || '1';
  if (chain === undefined || !/^[1-9]\d{0,8}$/.test(page)) return undefined;
  // Truncated, since it's part of a cache key.
  const wallet = textOf(request, 'wallet').slice(0, 64) || undefined;
  return { chain, page: Number(page), wallet };
}

/** A parameter as text; the last one if it's repeated. */
function textOf({ query }: FastifyRequest, name: string): string {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  const text = Array.isArray(value) ? (value.at(-1) as unknown) : value;
  return typeof text === 'string' ? text.trim() : '';
}

function filterOf(code: BoardQuery['chain']): Chain | 'all' {
  return code === 'all' ? 'all' : chainOfCode(code);
}
