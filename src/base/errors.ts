/**
 * Errors are divided by what the caller does next: a `UserError` is shown to the user; a
 * `RetryableError` means "try again later"; anything else is a bug.
 */

/** Codes of errors that the user can fix. They are part of the `/v1` contract. */
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
  /** What followed a cursor is no longer known. */
  | 'cursor-gone'
  /** In a chat: neither an address nor anybody's display name. */
  | 'unknown-name'
  | NameErrorCode
  | 'key-limit'
  | 'key-not-found'
  | 'webhook-limit'
  | 'webhook-not-found'
  | 'webhook-rotating'
  | LinkErrorCode
  | GateErrorCode
  | CardErrorCode
  | 'wrong-usage'
  /** The database has lost commits of an import. */
  | 'commits-lost'
  | 'wrong-configuration';

/** In a chat: why the name of a name service can't be used for its wallet. */
type NameErrorCode =
  /** Not normalized (ENSIP-15), or otherwise impossible. Values: the name, the service. */
  | 'name-malformed'
  /** Not registered, or without a wallet. Values: the name, the service. */
  | 'name-not-found'
  /** The service isn't configured. Values: the name, and its ending, such as `.sol`. */
  | 'name-unsupported'
  /** The service gave it another ending. Values: the present ending, and the name with it. */
  | 'name-renamed'
  /** The service didn't respond in time, or too much is asked. Values: the service, the name. */
  | 'name-unchecked';

/** Why a proof is rejected, each with its own sentence. */
export type ProofErrorCode =
  /** An address without a known private key. */
  | 'wallet-unusable'
  /** An address owned by a program. */
  | 'wallet-of-program'
  /** A Solana address without capital letters, always a copying error. */
  | 'wallet-lower-case'
  | 'signature-malformed'
  /** Shorter than any signature by a key. Value: its length in bytes. */
  | 'signature-cut'
  /** Not a signature but the private key itself, which is now exposed. */
  | 'signature-is-secret'
  /** 32 bytes: a private key, or the hash of a transaction, which is public. */
  | 'signature-is-hash'
  /** Value: the address that signed, if it signed this text. */
  | 'signature-other-wallet'
  /** The same, but without a node to tell whether the wallet is a contract. Value: as above. */
  | 'signature-other-or-contract'
  /** As long as a signature in the compact form, or as one whose last byte was lost. Values: its length, and as above. */
  | 'signature-other-or-cut'
  /** By another key or of another text; we can't tell which. */
  | 'signature-wrong'
  /** The same, but without an indexer to tell whether the account was rekeyed. */
  | 'signature-wrong-or-rekeyed'
  | 'signature-other-site'
  | 'authenticator-malformed'
  | 'transaction-changed'
  /** Written by the wallet in a version that isn't read yet. */
  | 'transaction-version'
  | 'multisig-unsupported'
  /** Value: the address whose key now signs for the account. */
  | 'account-rekeyed'
  /** Another key signed, and there's no indexer to check whether it may. */
  | 'rekeyed-unsupported'
  /** The configured indexer is on another network. Value: its genesis id. */
  | 'indexer-wrong-network'
  /** A contract's signature, but no node is configured. */
  | 'contract-unsupported'
  /** The configured node is on another network. Value: its chain id. */
  | 'contract-wrong-network'
  /** Value: the address without a contract. */
  | 'contract-missing'
  | 'contract-refused'
  /** In an ERC-8010 wrapper: for code that the account isn't delegated to yet. */
  | 'signature-undelegated'
  /** Values: how many owners signed, and how many must. */
  | 'owners-missing'
  /** The service that knows didn't respond in time. */
  | 'proof-unchecked'
  /** The same of what several people have signed: their text is still valid. */
  | 'owners-unchecked'
  /** The text was signed too late. */
  | 'text-expired';

/** Of these, what may be a bad copy of a signature, as something is missing or beside it: its text isn't used up. */
export const BAD_COPIES = [
  'signature-malformed',
  'signature-cut',
  'signature-other-or-cut',
  'contract-unsupported',
  'contract-missing',
] as const satisfies readonly ProofErrorCode[];

/** Error codes of linking. */
export type LinkErrorCode =
  | ProofErrorCode
  /** No such request, or it has expired: a new /link is needed. */
  | 'link-expired'
  /** Another browser has opened the request. */
  | 'link-taken'
  | 'link-tries'
  | 'link-nothing'
  /** Another tab of the page has got another text since. */
  | 'text-replaced'
  | 'code-wrong'
  /** Too many wrong codes: a new /link is needed. */
  | 'code-tries'
  /** The page's signature was rejected, for a reason that would name a wallet. */
  | 'page-refused'
  /** No code is expected. */
  | 'code-unexpected'
  /** Another account has proved it too. Value: when that account gets it. */
  | 'wallet-claimed'
  /** Recently unlinked by another account, or erased by any. Value: when it becomes free. */
  | 'wallet-held'
  /** Proved again by its account. Value: when it can be claimed again. */
  | 'wallet-kept'
  | 'wallet-limit'
  | 'wallet-not-linked'
  /** It delegated to none of the account's wallets. Value: its address. */
  | 'vault-not-delegated'
  /** The account has linked it with a signature itself. */
  | 'vault-signed'
  /** Linked or claimed by another account, with a signature or by a delegation. */
  | 'vault-taken'
  /** The wallet it delegated to was unlinked meanwhile. */
  | 'delegate-not-linked'
  /** The operator has no Ethereum node. */
  | 'vaults-unsupported';

/** Error codes of moderators' commands. */
export type GateErrorCode =
  /** Outside of a server or group. */
  | 'gate-not-here'
  /** The caller isn't allowed to. */
  | 'gate-not-allowed'
  /** The bot isn't in the server, so nobody tells it whether they are. */
  | 'gate-bot-away'
  | 'gate-limit'
  | 'gate-unknown-rule'
  /** What a rule gives, in place of the rule. Values: its name, and the rules' ids. */
  | 'gate-rule-by-name'
  | 'gate-unknown-badge'
  | 'gate-no-member'
  | 'gate-unknown-account'
  /** A rule without requirements. */
  | 'gate-empty-rule'
  /** A rule whose upper bound excludes everyone who has what it asks for. */
  | 'gate-impossible'
  /** A rule that is there already. Value: its id. */
  | 'gate-same-rule'
  /** A change of a rule that changes nothing. Value: its id. */
  | 'gate-same-edit'
  /** Something about roles, on a platform that has none. */
  | 'gate-roles-only'
  /** A held run is too old to be confirmed. */
  | 'gate-expired'
  /** Somebody has decided otherwise while the platform let it wait. */
  | 'gate-decided-since'
  /** Asked to lift a bar that isn't there. */
  | 'gate-not-barred'
  /** Asked to bar somebody from a role that nobody can give: everybody's, or an integration's. Value: its name. */
  | 'gate-never-granted'
  /** It's about a role that the caller couldn't give. Value: its name. */
  | 'gate-role-above'
  /** It's about all that rules give, also a role that the caller couldn't give. Value: its name. */
  | 'gate-roles-above'
  /** The same, asked to bar somebody from all of them. Value: its name. */
  | 'gate-bar-above'
  /** Asked to lift the bar on a deleted role. Value: its name. */
  | 'gate-role-gone'
  /** Asked to lift the bar from somebody whom the platform bans, without the right to. */
  | 'gate-banned'
  /** Nothing waits for an answer: no run, and no doubt about the data. */
  | 'gate-nothing';

/** Error codes of the command for a community's cards. */
export type CardErrorCode =
  /** Neither a name nor a code of a colour. */
  | 'card-colour'
  | 'banner-unreachable'
  /** Too many pictures are being fetched. */
  | 'banner-busy'
  /** Too many by one moderator, or for one community. */
  | 'banner-often'
  | 'banner-too-large'
  /** Not a picture of a known type, or a broken one. */
  | 'banner-unreadable';

/** A parameter and what it must be. */
export interface ParameterFault {
  parameter: string;
  message: string;
}

/** The user can fix this. The message says what to do. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly code: UserErrorCode;
  readonly faults: readonly ParameterFault[];
  /** Values for the placeholders of the code's sentence, in any language. */
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

/** The same request may succeed later: a locked file, a full disk, an unavailable source. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number;

  constructor(message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfter = options.retryAfter ?? 5;
  }

  /** Whether something is away, which the operator wants to know. */
  get isTrouble(): boolean {
    return true;
  }
}

/** A chat platform gave no answer, or none of use: the data isn't to blame. */
export class PlatformFault extends RetryableError {
  /** The platform's own code, where it refused for a reason that we don't know. */
  readonly code: string | undefined;

  constructor(
    message: string,
    options: { retryAfter?: number; cause?: unknown; code?: string | undefined } = {},
  ) {
    super(message, options);
    this.code = options.code;
  }
}

/** Others work on the same, and take longer than anybody would wait: nothing is away. */
export class BusyError extends RetryableError {}

/** Seconds after which to try again what only the operator can mend. */
export const OPERATOR_RETRY = 60;

/**
 * Whether only the operator can mend it, such as a database that became corrupt. For all others the data is
 * unavailable: the message may name files, hosts and settings.
 */
export function isForOperator(error: unknown): boolean {
  return error instanceof UserError && error.code === 'wrong-configuration';
}

/** Whether work that retries on its own only has to wait for others: any other error is a bug. */
export function isOutage(error: unknown): boolean {
  return error instanceof RetryableError || isForOperator(error);
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same as a sentence: what Node says has no period, ours has one. */
export function sentenceOf(error: unknown): string {
  return messageOf(error).replace(/\.?$/, '.');
}
