import type { FastifyInstance } from 'fastify';
import type { KeyStore, Logger, MaybePromise, RateCounterMaker } from '#base';
import type { RenderErrorPage } from '#http/api/answer/problems';
import type { StreamLimits } from '#http/api/routes/change-streams';
import type { Route } from '#http/api/routes/route';
import type { ReputationSource } from '#reputation';
import type { WalletParser } from '#wallet';
import type { UnreadLimits } from './connection-guards.ts';
import type { Readiness } from './health.ts';
import type { Metrics } from './metrics.ts';

/** What the API needs to start. */
export interface ApiOptions {
  readonly source: ReputationSource;
  readonly keys: Pick<KeyStore, 'findByHash'>;
  readonly wallets: WalletParser;
  readonly log: Logger;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The public base URL, without `/v1`; undefined if not configured. */
  readonly publicUrl: string | undefined;
  /** The operator's contact, `mailto:` or `https:`; undefined if not configured. */
  readonly contact?: string | undefined;
  /** Networks (CIDRs) whose `X-Forwarded-For` we trust. */
  readonly trustProxy: readonly string[];
  /** Requests per minute. */
  readonly limits: { readonly public: number; readonly key: number };
  /** Counters for requests and wrong keys; in this process alone by default. */
  readonly counters?: RateCounterMaker;
  /** For tests: the resources of `/v1`. */
  readonly routes?: readonly Route[];
  /** For tests. */
  readonly unreadLimits?: UnreadLimits;
  /** Streams of changes at once. */
  readonly streamLimits?: Partial<StreamLimits> | undefined;
  /** Whether this is demo data; every response then says so. */
  readonly isDemo?: boolean;
  /** For how long to take new connections while leaving. */
  readonly drainSeconds?: number;
  /** For how long an idle connection stays open. */
  readonly keepAliveSeconds?: number;
  /** Whether to log each request, at debug level. */
  readonly logRequests?: boolean;
  /** Renders errors outside of `/v1` for browsers; by default, all errors are JSON. */
  readonly errorPage?: RenderErrorPage | undefined;
  readonly metrics: Metrics;
  readonly readiness: () => MaybePromise<Readiness>;
  /** For tests: milliseconds since 1970, replaces every clock. */
  readonly clock?: () => number;
  /**
   * Lets other modules add pages and webhooks to the router. Their requests get an id and metrics
   * but no rate limit.
   */
  readonly register?: (app: FastifyInstance) => void;
}
