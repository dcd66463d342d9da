import type { Profile } from '#core/links/account';
import type { ProofCaveat, Submission } from '#core/links/proof';
import type { Wallet } from '#core/wallet';

/** A request as the page shows it before anything is signed. */
export interface SeenRequest {
  readonly account: Profile;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** What this browser has proved already and only has to be confirmed in the chat. */
  readonly proof: PageProof | undefined;
  /** Set when something was signed that can't be checked now: until when looking again tries it again. */
  readonly uncheckedUntil?: number;
}

/** A request that a browser has opened. */
export interface OpenedRequest {
  /** Known to this browser alone, by which it is known again; 32 hex digits. */
  readonly session: string;
  readonly account: Profile;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** What a wallet is to sign, in every form that the wallets of its chain know. Bytes are in base64. */
export interface PageChallenge {
  readonly wallet: Wallet;
  readonly text: string;
  /** The same, as the fields of a wallet's own sign-in feature, which makes the same text of them. */
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
  /** An unsigned transaction that can't be submitted; undefined where the chain has none. */
  readonly transaction: string | undefined;
  readonly caveat?: ProofCaveat | undefined;
  /** Of Algorand alone: what ARC-60 calls `data` and `authenticatorData`. */
  readonly arc60: { readonly data: string; readonly authenticatorData: string } | undefined;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** What is left to do after a wallet has signed. */
export interface PageProof {
  readonly wallet: Wallet;
  /** Six digits, to be typed in the chat by the account that asked. */
  readonly code: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * What the page on which a wallet is linked asks. Every method throws a UserError that the reader
 * can do something about, or a RetryableError.
 */
export interface LinkPageService {
  /**
   * Shows a request without claiming it, so that a browser that turns out to have no wallet uses
   * nothing up. What a browser has proved is shown to that browser alone.
   * @param ticket undefined to find the request by the session
   * @param opener what this browser opens the request with, if it hasn't heard that it did
   * @throws UserError `link-expired`, `link-taken`; `link-tries` when nothing can be signed any more
   */
  look(
    ticket: string | undefined,
    session: string | undefined,
    opener?: string,
  ): Promise<SeenRequest>;
  /**
   * Opens the request of a one-time address; the first browser that does has it.
   * @param session of this browser, if it has one: it may open its own request again
   * @param opener a secret that the browser made up: with the same one it may open the request again,
   *   as when the answer that brought the session was lost
   * @throws UserError `link-expired`, `link-taken`
   */
  open(ticket: string, session: string | undefined, opener?: string): Promise<OpenedRequest>;
  /**
   * A challenge for the wallet: the one before if that was for the same wallet and most of its time
   * is left, so that a reload costs nothing; else a new one, which replaces it.
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
