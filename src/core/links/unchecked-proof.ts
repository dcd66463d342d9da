import { RetryableError } from '#core/errors';
import type { PendingProof } from '#core/links/requests';
import type { Wallet } from '#core/wallet';

/**
 * A signature has arrived, but the service that knows about the wallet doesn't respond. It's kept
 * and retried: nobody has to sign twice.
 */
export class UncheckedProof extends RetryableError {
  readonly wallet: Wallet;
  /** When retries end, in seconds since 1970. */
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
