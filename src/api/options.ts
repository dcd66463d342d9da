import type { FastifyInstance } from 'fastify';
import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import type { KeyStore, ReputationSource } from '#core/ports';
import type { RateCounterMaker } from '#core/rate-window';
import type { WalletParser } from '#core/wallet';
import type { Readiness } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { UnreadLimits } from './unread-answers.ts';

/** What the API needs to start. */
export interface ApiOptions {
  readonly source: ReputationSource;
  readonly keys: Pick<KeyStore, 'findByHash'>;
  readonly wallets: WalletParser;
  readonly log: Logger;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Where people reach the API, without `/v1`; undefined when it is only known from the request. */
  readonly publicUrl: string | undefined;
  /** Networks (CIDRs) whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /** Requests a minute. */
  readonly limits: { readonly public: number; readonly key: number };
  /** Where requests and wrong keys are counted; in this process alone when not given. */
  readonly counters?: RateCounterMaker;
  /** For tests. */
  readonly unreadLimits?: UnreadLimits;
  /** Whether the wallets are made up, which every answer then says. */
  readonly isDemo?: boolean;
  readonly metrics: Metrics;
  readonly readiness: () => MaybePromise<Readiness>;
  /** For tests: milliseconds since 1970, in place of every clock. */
  readonly clock?: () => number;
  /**
   * Lets other rooms add pages and webhooks to the router. Their requests bear an id and are
   * measured, but not counted against a limit.
   */
  readonly register?: (app: FastifyInstance) => void;
}
