import type { LinkErrorCode } from '#core/errors';
import type { Profile } from '#core/links/account';
import type { KeptProof, Submission } from '#core/links/proof';
import type { LinkOutcome } from '#core/links/rules';
import type { Wallet } from '#core/wallet';

/** Whether a wallet is being linked on the page or in the chat alone; an account has one of each. */
export type RequestWay = 'page' | 'chat';

/** A linking that is under way. All of it is kept, so that any process can go on with it. */
export interface LinkRequest {
  /** 32 hex digits. */
  readonly id: string;
  /** Counts changes: whoever writes says which one was read. */
  readonly version: number;
  readonly account: Profile;
  readonly way: RequestWay;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** SHA-256 of what the one-time address carries; of the page's way alone. */
  readonly ticket: string | undefined;
  /** SHA-256 of what the browser that opened it knows. */
  readonly session: string | undefined;
  /** Challenges that may still be asked for. */
  readonly challengesLeft: number;
  readonly challenge: StoredChallenge | undefined;
  /** What waits for its code to be typed. */
  readonly proved: ProvedWallet | undefined;
  /** What was signed in time and is still to be checked. */
  readonly pending?: PendingProof | undefined;
  /** What was checked while the page was closed, which has yet to make a code of it. */
  readonly checked?: CheckedWallet | undefined;
  /** What came of it, for its account to hear; of the page's way only why it was refused. */
  readonly settled?: SettledProof | undefined;
}

/** What was handed in while who must be asked about it does not answer. */
export interface PendingProof {
  readonly wallet: Wallet;
  readonly text: string;
  readonly submission: Submission;
  /** How often it was tried. */
  readonly tries: number;
  /** When it may be tried again, and until when it is. */
  readonly retryAt: number;
  readonly until: number;
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
  /** What is to be signed, exactly. */
  readonly text: string;
  /** Both are in the text too, and missing in challenges of earlier versions. */
  readonly nonce?: string;
  readonly issuedAt?: number;
  readonly expiresAt: number;
}

interface CheckedWallet {
  readonly proof: KeptProof;
  /** Until when the page can make a code of it. */
  readonly until: number;
}

interface ProvedWallet {
  readonly proof: KeptProof;
  /** SHA-256 of the request's id and the code. */
  readonly code: string;
  readonly triesLeft: number;
  readonly expiresAt: number;
}
