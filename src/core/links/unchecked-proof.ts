import { RetryableError } from '#core/errors';
import type { PendingProof } from '#core/links/requests';
import type { Wallet } from '#core/wallet';

/**
 * What was signed has arrived, but who must be asked about it doesn't answer. It is kept and tried
 * again: nobody has to sign anything twice.
 */
export class UncheckedProof extends RetryableError {
  readonly wallet: Wallet;
  /** Until when it is tried, in seconds since 1970. */
  readonly until: number;

  constructor(
    { wallet, until, retryAt }: PendingProof,
    { now, cause }: { readonly now: number; readonly cause?: Error },
  ) {
    super(cause?.message ?? 'The proof is still being checked.', {
      retryAfter: Math.max(1, retryAt - now),
      cause,
    });
    this.wallet = wallet;
    this.until = until;
  }
}
