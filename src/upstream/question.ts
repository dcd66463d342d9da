import type { Wallet } from '#core/wallet';

/** One thing that can be asked of the upstream. */
export interface Question<T> {
  /** Path and query below `/v1`; also its name. */
  readonly path: string;
  readonly wallet: Wallet | undefined;
  /** @throws Unbelievable */
  readonly read: (body: unknown) => T;
}
