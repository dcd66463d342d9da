import type { LinkErrorCode } from '#base';
import type { Profile } from '#command';
import type { StoredProof, Submission } from '#linking/proving/proof';
import type { LinkOutcome } from '#linking/rules';
import type { Wallet } from '#wallet';

/**
 * Whether a wallet is linked on the page or only in the chat, or was linked a moment ago; an account has one request
 * of each.
 */
export type RequestWay = 'page' | 'chat' | 'used';

/** Who asks for a link. */
export interface Applicant extends Profile {
  /** In which they read, if it's known. */
  readonly locale?: string | undefined;
}

/** A pending link. Stored completely, so any process can continue. */
export interface LinkRequest {
  /** 32 hex digits. */
  readonly id: string;
  /** Version number: writers say which version they read. */
  readonly version: number;
  readonly account: Profile;
  readonly way: RequestWay;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** SHA-256 of the one-time link's secret; only for the page. */
  readonly ticket: string | undefined;
  /** SHA-256 of the session secret of the browser that opened it. */
  readonly session: string | undefined;
  /** Challenges left. */
  readonly challengesLeft: number;
  readonly challenge: StoredChallenge | undefined;
  /** The proof whose code is expected. */
  readonly proved: ProvedWallet | undefined;
  /** A signature made in time that is still unchecked. */
  readonly pending?: PendingProof | undefined;
  /** A proof that the page may derive a code from, as it was closed or several people have signed. */
  readonly checked?: CheckedWallet | undefined;
  /** The outcome, for its account; for the page only the reason of a rejection. */
  readonly settled?: SettledProof | undefined;
  /** Set while its account hasn't been told of the outcome. */
  readonly untold?: true | undefined;
  /** See `Applicant.locale`. */
  readonly locale?: string | undefined;
  /** What was handed in, in case it's sent again: a hash of it with the id, and its answer. */
  readonly used?: UsedRequest | undefined;
}

/** A signature submitted while the service that knows doesn't respond. */
export interface PendingProof {
  readonly wallet: Wallet;
  readonly text: string;
  readonly submission: Submission;
  /** What was handed in before it and couldn't be checked either: it counts if this one is refused. */
  readonly earlier?: readonly Submission[] | undefined;
  /** Number of attempts. */
  readonly tries: number;
  /** Set if owners of a contract still have to approve it on chain; nothing is wrong then. */
  readonly awaits?: 'owners';
  /** When it was last tried. */
  readonly triedAt?: number;
  /** When to retry, and until when. */
  readonly retryAt: number;
  readonly until: number;
  readonly shared?: SharedText | undefined;
}

/** A text that several people sign: what was handed in of it may be refused, and they go on signing. */
export interface SharedText {
  readonly challenge: StoredChallenge;
  /** Set if they may also approve it on chain. */
  readonly awaited: PendingProof | undefined;
}

interface UsedRequest {
  readonly given: string;
  readonly linked: { readonly wallet: Wallet; readonly outcome: LinkOutcome };
}

type SettledProof =
  | { readonly wallet: Wallet; readonly outcome: LinkOutcome }
  | {
      readonly code: LinkErrorCode;
      readonly message: string;
      readonly values: readonly string[];
    };

export interface StoredChallenge {
  readonly wallet: Wallet;
  /** The exact text to sign. */
  readonly text: string;
  /** Both are in the text too; missing in challenges of earlier versions. */
  readonly nonce?: string;
  readonly issuedAt?: number;
  readonly expiresAt: number;
  /** What owners of a contract have handed in of it, joined, as long as there are too few of them. */
  readonly signed?: string | undefined;
}

interface CheckedWallet {
  readonly proof: StoredProof;
  /** Until when the page can derive a code from it. */
  readonly until: number;
}

interface ProvedWallet {
  readonly proof: StoredProof;
  /** SHA-256 of the request's id and the code. */
  readonly code: string;
  readonly triesLeft: number;
  readonly expiresAt: number;
}
