import type { Static, TObject, TSchema } from 'typebox';
import type { MaybePromise, Reading } from '#core/ports';
import type { Wallet } from '#core/wallet';
import type { ProblemCode } from './problems.ts';
import type { QuerySchema } from './query.ts';

/** What is told of a resource on the page of docs and in the OpenAPI document. */
interface About {
  /** The interface's name of it, also the `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
}

/** One resource of `/v1` as data beside its handler. */
export interface Route extends About {
  /** Path below `/v1`; `:address` stands for a wallet address. */
  readonly path: string;
  /** Whether the path bears an address. */
  readonly ofWallet: boolean;
  readonly query: QuerySchema | undefined;
  /** Its title names it in the OpenAPI document. */
  readonly response: TSchema;
  /** A body as it may come. */
  readonly example: unknown;
  /** An address and a query for the example request. */
  readonly exampleRequest: string;
  /** Errors that this resource adds to those that every resource has. */
  readonly problems: readonly ProblemCode[];
  /** @returns the body, or undefined when the wallet was never seen */
  answer(call: Call<unknown>): MaybePromise<unknown>;
}

/** What a handler has to work with. */
interface Call<Q> {
  readonly source: Reading;
  readonly query: Q;
  /** Only of a resource of a wallet. */
  readonly wallet: Wallet | undefined;
}

type QueryOf<S> = S extends TSchema ? Static<S> : unknown;

interface Described<S extends QuerySchema | undefined, R extends TSchema> extends About {
  readonly path: string;
  readonly query: S;
  readonly response: R;
  readonly example: Static<R>;
  readonly exampleRequest: string;
}

/** Declares a resource of one wallet. */
export function walletRoute<S extends QuerySchema | undefined, R extends TObject>(
  route: Described<S, R> & {
    readonly problems?: readonly ProblemCode[];
    answer(call: {
      source: Reading;
      query: QueryOf<S>;
      wallet: Wallet;
    }): MaybePromise<Static<R> | undefined>;
  },
): Route {
  const { answer } = route;
  return {
    ...route,
    ofWallet: true,
    problems: ['invalid-address', ...(route.problems ?? []), 'wallet-not-found'],
    answer: ({ source, query, wallet }) => {
      if (wallet === undefined) throw new Error(`${route.id} was called without its wallet`);
      return answer({ source, query: query as QueryOf<S>, wallet });
    },
  };
}

/** Declares a resource of the whole platform. */
export function platformRoute<S extends QuerySchema | undefined, R extends TObject>(
  route: Described<S, R> & {
    answer(call: { source: Reading; query: QueryOf<S> }): MaybePromise<Static<R>>;
  },
): Route {
  const { answer } = route;
  return {
    ...route,
    ofWallet: false,
    problems: [],
    answer: ({ source, query }) => answer({ source, query: query as QueryOf<S> }),
  };
}
