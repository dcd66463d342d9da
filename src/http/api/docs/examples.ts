import { type Logger, messageOf, monotonicMs, ProblemLog, UserError } from '#base';
import type { BoundRoute } from '#http/api/routes/resource-handler';
import type { Reading, ReputationSource } from '#reputation';
import type { Wallet, WalletParser } from '#wallet';

/** The example of one resource. */
export interface Example {
  /** Path and query below `/v1`; `ADDRESS` stands for a wallet where none can be shown. */
  readonly request: string;
  readonly response: unknown;
  /** Whether lists in the response were cut. */
  readonly isCut: boolean;
}

/** The examples of all resources at one moment. */
export interface Examples {
  /** An address that exists here; undefined if there is none to show. */
  readonly address: string | undefined;
  /** By the id of the resource. */
  readonly byId: ReadonlyMap<string, Example>;
}

interface ExampleOptions {
  readonly routes: () => readonly BoundRoute[];
  readonly source: ReputationSource;
  readonly wallets: Pick<WalletParser, 'parse'>;
  readonly log: Logger;
  /** For tests. */
  readonly monotonic?: () => number;
}

/** The docs are for everyone: they may ask the source this often. */
const KEPT_MS = 60_000;

/** Among these first users we look for one whose badges fit on the page. */
const CANDIDATES = 50;

/** Longer lists are cut. */
export const LIST_MAX = 3;

/** Real requests and responses of this instance, refreshed at most once a minute. */
export class LiveExamples {
  readonly #options: ExampleOptions;
  readonly #trouble: ProblemLog;
  #kept: Promise<Examples> | undefined;
  #keptAt = 0;
  /** The newest that are real. */
  #real: Examples | undefined;

  constructor(options: ExampleOptions) {
    this.#options = options;
    this.#trouble = new ProblemLog(options.log);
  }

  /** Never rejects: without data the examples are the last real ones, or else made up and say so. */
  current(): Promise<Examples> {
    const now = (this.#options.monotonic ?? monotonicMs)();
    if (this.#kept === undefined || now - this.#keptAt >= KEPT_MS) {
      this.#keptAt = now;
      this.#kept = this.#ask();
    }
    return this.#kept;
  }

  async #ask(): Promise<Examples> {
    const { routes, source, wallets } = this.#options;
    try {
      const reading = source.reading('visitor');
      const wallet = await exampleWallet(reading, wallets);
      if (wallet === undefined) return madeUp(routes());
      const byId = new Map<string, Example>();
      for (const bound of routes()) {
        byId.set(bound.route.id, await exampleOrMadeUp(bound, reading, wallet, wallets));
      }
      this.#real = { address: wallet.address, byId };
      this.#trouble.resolve();
      return this.#real;
    } catch (error) {
      const reason = messageOf(error);
      this.#trouble.report('examples', 'warn', { reason }, 'the docs could not get new examples');
      return this.#real ?? madeUp(routes());
    }
  }
}

async function exampleWallet(
  reading: Reading,
  wallets: ExampleOptions['wallets'],
): Promise<Wallet | undefined> {
  const query = { chain: 'all', limit: CANDIDATES, offset: 0 } as const;
  const { leaderboard } = await reading.leaderboard(query);
  const fitting = leaderboard.find(({ badges }) => badges > 0 && badges <= LIST_MAX);
  const { address } = fitting ?? leaderboard[0] ?? {};
  return address === undefined ? undefined : wallets.parse(address);
}

/** Shows what another instance would answer where the source lacks the resource. */
async function exampleOrMadeUp(
  bound: BoundRoute,
  source: Reading,
  wallet: Wallet,
  wallets: ExampleOptions['wallets'],
): Promise<Example> {
  try {
    return await exampleOf(bound, source, wallet, wallets);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'route-not-found') throw error;
    const { exampleRequest, example } = bound.route;
    return {
      request: requestWith(exampleRequest, wallet.address),
      response: example,
      isCut: false,
    };
  }
}

async function exampleOf(
  { route, readQuery, serialize }: BoundRoute,
  source: Reading,
  wallet: Wallet,
  wallets: ExampleOptions['wallets'],
): Promise<Example> {
  const request = requestWith(route.exampleRequest, wallet.address);
  const [, queryText = ''] = request.split('?');
  const read = readQuery(queryText);
  if ('problem' in read) throw new Error(`the example of ${route.id}: ${read.problem.detail}`);
  const body = await route.answer({
    source,
    query: read.query,
    wallet: route.ofWallet ? wallet : undefined,
    readWallet: (text) => wallets.parse(text),
  });
  // The wallet may have left since, which the made-up body doesn't pretend to know.
  if (body === undefined) throw new Error('the example wallet has no activity any more');
  const { value, isCut } = cutLists(
    JSON.parse(String(await serialize(body))) as Record<string, unknown>,
  );
  return { request, response: value, isCut };
}

function madeUp(routes: readonly BoundRoute[]): Examples {
  const byId = new Map(
    routes.map(({ route: { id, exampleRequest, example } }) => [
      id,
      { request: requestWith(exampleRequest, 'ADDRESS'), response: example, isCut: false },
    ]),
  );
  return { address: undefined, byId };
}

/** `/activity/0x…?limit=2` with another address. */
function requestWith(exampleRequest: string, address: string): string {
  return exampleRequest.replace(/0x\w+/, address);
}

function cutLists(body: Record<string, unknown>): { value: object; isCut: boolean } {
  let isCut = false;
  const entries = Object.entries(body).map(([key, value]) => {
    if (!Array.isArray(value) || value.length <= LIST_MAX) return [key, value];
    isCut = true;
    return [key, value.slice(0, LIST_MAX)];
  });
  return { value: Object.fromEntries(entries), isCut };
}
