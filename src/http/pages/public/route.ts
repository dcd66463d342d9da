import type { FastifyRequest } from 'fastify';
import type { MaybePromise } from '#base';
import type { ErrorPageCause } from './error-page.ts';
import type { PublicPage } from './layout.ts';
import type { PageReader } from './reader.ts';

/** What a route makes of a request. */
export type RouteAnswer =
  | { readonly redirect: string }
  | {
      /** Unique among all pages. */
      readonly key: string;
      readonly make: () => MaybePromise<PageOutcome>;
    };

/** A page, or the reason why there's none. */
export type PageOutcome =
  | { readonly page: PublicPage; readonly status?: 404; readonly isPartial?: boolean }
  | { readonly lost: ErrorPageCause; readonly status: 400 | 404; readonly shown?: string };

/** A page's path and handler. @throws RetryableError */
export interface PublicRoute {
  readonly url: string;
  answer(request: FastifyRequest, reader: PageReader): MaybePromise<RouteAnswer>;
}
