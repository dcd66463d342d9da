import { RetryableError } from '#base';
import type { LinkRequest, PendingProof } from '#linking/challenge/requests';
import type { Wallet } from '#wallet';

/**
 * A signature has arrived, but the service that knows about the wallet doesn't respond. It's kept
 * and retried: nobody has to sign twice.
 */
export class UncheckedProof extends RetryableError {
  readonly wallet: Wallet;
  /** Set if owners of a contract still have to approve it on chain. */
  readonly awaits: PendingProof['awaits'];
  /** When retries end, in seconds since 1970. */
  readonly until: number;

  constructor(
    { wallet, until, retryAt, awaits }: PendingProof,
    { now, cause }: { readonly now: number; readonly cause?: Error },
  ) {
    super(cause?.message ?? 'The proof is still being checked.', {
      retryAfter: Math.max(1, retryAt - now),
      cause,
    });
    this.wallet = wallet;
    this.until = until;
    this.awaits = awaits;
  }

  /** Owners take their time. */
  override get isTrouble(): boolean {
    return this.awaits === undefined;
  }
}

/** What was signed and can't be checked yet; not what owners still have to approve. */
export function stillTried(
  request: LinkRequest | undefined,
  now: number,
): PendingProof | undefined {
  const { pending } = request ?? {};
  const isTried = pending !== undefined && pending.awaits === undefined && pending.until > now;
  return isTried ? pending : undefined;
}
