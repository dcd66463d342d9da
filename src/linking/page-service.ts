import type { Profile } from '#command';
import type { Wallet } from '#wallet';
import type { ProofCaveat, Submission } from './proving/proof.ts';

/** A request as shown before anything is signed. */
export interface SeenRequest {
  readonly account: Profile;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** What this browser has proved and only needs to confirm in the chat. */
  readonly proof: PageProof | undefined;
  /** Set when something was signed that can't be checked now: until when looking again tries it again. */
  readonly uncheckedUntil?: number;
  /** Set besides if owners of a contract still have to approve it on chain. */
  readonly awaits?: 'owners' | undefined;
}

/** A request opened by a browser. */
export interface OpenedRequest {
  /** A secret that identifies this browser; 32 hex digits. */
  readonly session: string;
  readonly account: Profile;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** What a wallet should sign, in every form the chain's wallets support. Bytes are in base64. */
export interface PageChallenge {
  readonly wallet: Wallet;
  readonly text: string;
  /** The same as fields of a wallet's own sign-in feature, which builds the same text. */
  readonly signIn: {
    readonly domain: string;
    readonly address: string;
    readonly statement: string;
    readonly uri: string;
    readonly version: string;
    readonly chainId: string;
    readonly nonce: string;
    readonly issuedAt: string;
    readonly expirationTime: string;
    readonly requestId: string;
  };
  /** An unsigned transaction that can't be submitted; undefined if the chain has none. */
  readonly transaction: string | undefined;
  readonly caveat?: ProofCaveat | undefined;
  /** Whether several people may have to sign it, for which they have a day. */
  readonly isForSeveral?: boolean;
  /** Algorand only: ARC-60's `data` and `authenticatorData`. */
  readonly arc60: { readonly data: string; readonly authenticatorData: string } | undefined;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** The next step after a wallet has signed. */
export interface PageProof {
  readonly wallet: Wallet;
  /** Six digits for the requesting account to enter in the chat. */
  readonly code: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * The API of the link page. Methods throw a UserError the reader can act on, or a RetryableError.
 */
export interface LinkPageService {
  /**
   * Shows a request without claiming it, so a browser without a wallet uses nothing up. Only the
   * browser that proved a wallet sees it.
   * @param ticket undefined to find the request by session
   * @throws UserError `link-expired`, `link-taken`; `link-tries` if nothing can be signed anymore
   */
  look(
    ticket: string | undefined,
    session: string | undefined,
    opener?: string,
  ): Promise<SeenRequest>;
  /**
   * Opens a one-time link's request; the first browser gets it.
   * @param session this browser's, if it has one: it may reopen its own request
   * @throws UserError `link-expired`, `link-taken`
   */
  open(ticket: string, session: string | undefined, opener?: string): Promise<OpenedRequest>;
  /**
   * A challenge for the wallet: the current one if it's for the same wallet and most of its time is
   * left, so reloads cost nothing; otherwise a new one, which replaces it.
   * @throws UserError `link-expired`, `link-tries`, `invalid-address`, `wallet-unusable`
   */
  challenge(session: string, address: string): Promise<PageChallenge>;
  /**
   * Takes what the wallet signed. The challenge is used up, whatever the answer.
   * @param nonce of the text that was signed; another tab of the browser may have got another since
   * @throws UserError `text-replaced`, which uses nothing up; `link-expired`, `link-nothing` (there is
   *   no challenge), a ProofErrorCode; UncheckedProof: what was signed is kept, and tried again with
   *   the next call
   */
  prove(session: string, submission: Submission, nonce?: string): Promise<PageProof>;
}
