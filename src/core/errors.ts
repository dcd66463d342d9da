/**
 * Errors are split by what the caller does next. A `UserError` is shown to whoever asked; a
 * `RetryableError` says "not now, try again"; anything else that is thrown is a bug.
 */

/** Codes of faults that the asker can mend. They are part of the `/v1` contract. */
export type UserErrorCode =
  | 'invalid-address'
  | 'chain-mismatch'
  | 'invalid-parameter'
  | 'unknown-parameter'
  | 'duplicate-parameter'
  | 'invalid-api-key'
  | 'wallet-not-found'
  /** The source, another instance, has no such resource. */
  | 'route-not-found'
  /** In a chat: neither an address nor anybody's display name. */
  | 'unknown-name'
  | 'key-limit'
  | 'key-not-found'
  | LinkErrorCode
  | GateErrorCode
  | 'wrong-usage'
  /** What an import had committed is no longer in the database. */
  | 'commits-lost'
  | 'wrong-configuration';

/** Why a proof is refused, each with a sentence of its own. */
export type ProofErrorCode =
  /** Of an address that nobody has the key of. */
  | 'wallet-unusable'
  /** Of an address that a program owns. */
  | 'wallet-of-program'
  /** Of a Solana address without any capital letters, which only a slip can make. */
  | 'wallet-lower-case'
  | 'signature-malformed'
  /** Shorter than any signature by a key. Value: its length in bytes. */
  | 'signature-cut'
  /** It is no signature but the key itself, which is no secret any more. */
  | 'signature-is-secret'
  /** Value: the address that signed, if it signed this text. */
  | 'signature-other-wallet'
  /** The same where no node tells whether the wallet is a contract. Value: as above. */
  | 'signature-other-or-contract'
  /** By another key or of another text, which can't be told apart. */
  | 'signature-wrong'
  /** The same where no indexer tells whether the account was rekeyed. */
  | 'signature-wrong-or-rekeyed'
  | 'signature-other-site'
  | 'authenticator-malformed'
  | 'transaction-changed'
  | 'multisig-unsupported'
  /** Value: the address whose key signs for the account now. */
  | 'account-rekeyed'
  /** Another key signed, and no indexer is configured to ask whether it may. */
  | 'rekeyed-unsupported'
  /** The configured indexer is of another network. Value: its genesis id. */
  | 'indexer-wrong-network'
  /** A contract's signature, where no node is configured to ask. */
  | 'contract-unsupported'
  /** The configured node is of another network. Value: its chain id. */
  | 'contract-wrong-network'
  /** Value: the address at which there is no contract. */
  | 'contract-missing'
  | 'contract-refused'
  /** Values: how many owners signed, and how many have to. */
  | 'owners-missing'
  /** Who must be asked did not answer in the time that the proof had. */
  | 'proof-unchecked'
  /** The text was signed too late. */
  | 'text-expired';

/** Codes of faults in linking a wallet. */
export type LinkErrorCode =
  | ProofErrorCode
  /** No such request, or one whose time is over: a new /link is needed. */
  | 'link-expired'
  /** Another browser has opened the request. */
  | 'link-taken'
  | 'link-tries'
  | 'link-nothing'
  /** Another tab of the page has got another text since. */
  | 'text-replaced'
  | 'code-wrong'
  /** The code was wrong too often: a new /link is needed. */
  | 'code-tries'
  /** No code is waited for. */
  | 'code-unexpected'
  /** Another account has proved it too and waits for it. Value: the moment when it gets it. */
  | 'wallet-claimed'
  /** Unlinked by another account, or erased by any, a little while ago. Value: the moment from which it is free. */
  | 'wallet-held'
  /** Proved again by the account that has it. Value: the moment from which it can be claimed again. */
  | 'wallet-kept'
  | 'wallet-limit'
  | 'wallet-not-linked';

/** Codes of faults in what moderators ask for. */
export type GateErrorCode =
  /** Asked outside of a server or group. */
  | 'gate-not-here'
  /** By somebody who may not. */
  | 'gate-not-allowed'
  | 'gate-limit'
  | 'gate-unknown-rule'
  | 'gate-unknown-badge'
  | 'gate-no-member'
  /** A rule without anything that it asks for. */
  | 'gate-empty-rule'
  /** A held run is too old to be confirmed. */
  | 'gate-expired'
  /** There is nothing to confirm or to undo. */
  | 'gate-nothing';

/** One parameter and what is wrong with it, in a sentence that says what to send instead. */
export interface ParameterFault {
  parameter: string;
  message: string;
}

/** The asker can mend this. The message is for people and says what to do. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly code: UserErrorCode;
  readonly faults: readonly ParameterFault[];
  /** What the code's sentence has in its gaps, in any language. */
  readonly values: readonly string[];

  constructor(
    code: UserErrorCode,
    message: string,
    faults: readonly ParameterFault[] = [],
    options: { readonly cause?: unknown; readonly values?: readonly string[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.faults = faults;
    this.values = options.values ?? [];
  }
}

/** The same request may succeed later: a locked file, a full disk, a source that is down. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number;

  constructor(message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfter = options.retryAfter ?? 5;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
