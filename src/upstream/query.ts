import type { Wallet } from '#wallet';

/** One upstream request and how to parse its response. */
export interface UpstreamQuery<T> {
  /** Path and query below `/v1`; also its cache key. */
  readonly path: string;
  readonly wallet: Wallet | undefined;
  /** @throws InvalidResponseError */
  readonly read: (body: unknown) => T;
}
