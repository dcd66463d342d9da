import type { IncomingHttpHeaders } from 'node:http';
import { isUnderV1 } from './paths.ts';
import { type Problem, problemBody } from './problems.ts';

/** A request that failed, whether or not it could be parsed. */
interface RefusedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Path and query. */
  readonly url: string;
  /** The ID in its response. */
  readonly id: string;
}

/** @returns an error as a page, for a browser that opens one; undefined for all other clients */
export type RenderErrorPage = (
  request: Pick<RefusedRequest, 'headers' | 'url'>,
  problem: {
    readonly code: string;
    /** Seconds. */
    readonly retryAfter: number | undefined;
    readonly requestId: string;
  },
) => { readonly headers: Readonly<Record<string, string>>; readonly html: string } | undefined;

/** The body of an error, with the headers that describe it: alternating names and values. */
export interface ErrorBody {
  readonly text: string;
  readonly headers: readonly string[];
}

const JSON_HEADERS = ['Content-Type', 'application/problem+json'];

/** JSON, or a page outside of `/v1` for who prefers one. */
export function errorBody(
  problem: Problem,
  { url, headers, id }: RefusedRequest,
  renderPage: RenderErrorPage | undefined,
): ErrorBody {
  const { code, retryAfter } = problem;
  const page = isUnderV1(url)
    ? undefined
    : renderPage?.({ headers, url }, { code, retryAfter, requestId: id });
  return page === undefined
    ? { text: problemBody(problem, url, id), headers: JSON_HEADERS }
    : { text: page.html, headers: Object.entries(page.headers).flat() };
}
