import {
  BAD_COPIES,
  type BackoffRange,
  doublingDelay,
  formatTime,
  hexText,
  type Logger,
  type PlatformTraits,
  RetryableError,
  UserError,
  type UserErrorCode,
} from '#base';
import { accountKey, type Profile } from '#command';
import type { ProofCaveat, StoredProof, Submission, WalletProver } from '#linking/proving/proof';
import { UncheckedProof } from '#linking/proving/unchecked-proof';
import type { LinkStore } from '#linking/store';
import type { Wallet, WalletParser } from '#wallet';
import type { LinkRequest, PendingProof, StoredChallenge } from './requests.ts';
import { looksSecret, mayBeHash } from './secrets.ts';
import {
  CHALLENGE_SECONDS,
  givenOf,
  isApproval,
  isForSeveral,
  leftOf,
  proofOf,
  sharedOf,
} from './shared-text.ts';

export interface ChallengeParts {
  /** Host of this instance, with the port if there is one. */
  readonly domain: string;
  /** The page's URL. */
  readonly uri: string;
  readonly accountName: string;
  readonly address: string;
  readonly chainId: string;
  /** One line of ASCII that the statement grammar allows. */
  readonly statement: string;
  /** At least 8 letters and digits. */
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The chat account: `discord:1234`. */
  readonly requestId: string;
}

/**
 * Characters allowed in a sign-in message's statement: no quotes, percent signs, emoji or line
 * breaks. https://eips.ethereum.org/EIPS/eip-4361#abnf-message-format
 */
const STATEMENT = /^[A-Za-z0-9\-._~:/?#[\]@!$&()*+,;= ]+$/;

/**
 * The text to sign, in the same format on all chains: EIP-4361 on Ethereum, and the text that
 * Solana's sign-in feature builds from the same fields. https://chainagnostic.org/CAIPs/caip-122
 * @throws RangeError for a statement wallets couldn't parse, which is a bug
 */
export function challengeText(parts: ChallengeParts): string {
  if (!STATEMENT.test(parts.statement)) throw new RangeError('the statement breaks the grammar');
  return [
    `${parts.domain} wants you to sign in with your ${parts.accountName} account:`,
    parts.address,
    '',
    parts.statement,
    '',
    `URI: ${parts.uri}`,
    'Version: 1',
    `Chain ID: ${parts.chainId}`,
    `Nonce: ${parts.nonce}`,
    `Issued At: ${formatTime(parts.issuedAt)}`,
    `Expiration Time: ${formatTime(parts.expiresAt)}`,
    `Request ID: ${parts.requestId}`,
  ].join('\n');
}

/** The usernames of Discord and Telegram, of which old ones of Discord are no part. */
const USERNAME = /^[\w.]{1,32}$/;
/** Seconds for a contract's text, which several people may have to sign. */
const SHARED_SECONDS = 86_400;
const NONCE_BYTES = 16;
/** Seconds to keep a proof that can't be checked, from when it was submitted. */
const PENDING_SECONDS = 600;
/** Rejections the operator must fix. */
const OPERATORS: readonly UserErrorCode[] = ['contract-wrong-network', 'indexer-wrong-network'];
/** Seconds before a retry. */
const WAIT: BackoffRange = { first: 10, most: 60 };
/** The same for owners, who take their time; people who know that they have approved wait for the first alone. */
const WAIT_FOR_OWNERS: BackoffRange = { first: 10, most: 600 };

export interface ChallengerOptions {
  readonly store: LinkStore;
  readonly wallets: WalletParser;
  /** The platforms of accounts. */
  readonly platforms: readonly PlatformTraits[];
  /** Loaded when first needed. */
  readonly provers: () => Promise<readonly WalletProver[]>;
  /** The page's public URL: `https://rep.example.org/link`. */
  readonly pageUrl: () => string;
  /** A cryptographically secure source. */
  readonly random: (bytes: number) => Uint8Array;
  /** Logs what only the operator can fix. */
  readonly log: Logger;
}

/** A challenge in every form a wallet may want. */
export interface FreshChallenge extends StoredChallenge {
  readonly nonce: string;
  readonly issuedAt: number;
  readonly parts: ChallengeParts;
  readonly caveat: ProofCaveat | undefined;
  readonly transaction: Uint8Array | undefined;
  /** What ARC-60 signs instead of the text. */
  readonly arc60: { readonly data: string; readonly authenticatorData: Uint8Array } | undefined;
}

/** The proof, and the stored request without the pending proof. */
export interface CheckedProof {
  readonly proof: StoredProof;
  readonly request: LinkRequest;
  /** When its text ends, if several people have signed it. */
  readonly sharedUntil: number | undefined;
}

/** Creates challenges and checks signatures, for the page and the chat alike. */
export class Challenger {
  readonly #options: ChallengerOptions;
  #provers: Promise<readonly WalletProver[]> | undefined;

  constructor(options: ChallengerOptions) {
    this.#options = options;
  }

  /** @throws UserError `invalid-address`, `wallet-unusable` */
  async make(account: Profile, address: string, now: number): Promise<FreshChallenge> {
    const { wallets, random } = this.#options;
    const wallet = wallets.parse(address);
    const prover = await this.proverOf(wallet);
    prover.requireUsable(wallet.address);
    const seconds = (await prover.isContract?.(wallet.address))
      ? SHARED_SECONDS
      : CHALLENGE_SECONDS;
    return await this.#build(account, wallet, hexText(random(NONCE_BYTES)), now, seconds);
  }

  /**
   * The account's current challenge for this address, if most of its time is left.
   * @throws UserError `invalid-address`
   */
  async again(
    account: Profile,
    address: string,
    request: LinkRequest,
    now: number,
  ): Promise<FreshChallenge | undefined> {
    const wallet = this.#options.wallets.parse(address);
    const challenge = request.challenge ?? request.pending?.shared?.challenge;
    if (challenge?.nonce === undefined || challenge.issuedAt === undefined) return undefined;
    const isSame = wallet.address === challenge.wallet.address;
    if (!isSame || challenge.expiresAt - now < CHALLENGE_SECONDS / 2) return undefined;
    const { nonce, issuedAt } = challenge;
    const seconds = challenge.expiresAt - issuedAt;
    const made = await this.#build(account, wallet, nonce, issuedAt, seconds);
    // Otherwise Fathom's version or the public URL has changed.
    return made.text === challenge.text ? made : undefined;
  }

  async #build(
    account: Profile,
    wallet: Wallet,
    nonce: string,
    issuedAt: number,
    seconds: number,
  ): Promise<FreshChallenge> {
    const prover = await this.proverOf(wallet);
    const uri = this.#options.pageUrl();
    const expiresAt = issuedAt + seconds;
    const parts: ChallengeParts = {
      domain: new URL(uri).host,
      uri,
      accountName: prover.accountName,
      address: wallet.address,
      chainId: prover.chainId,
      statement: statementFor(account, this.#options.platforms),
      nonce,
      issuedAt,
      expiresAt,
      requestId: accountKey(account),
    };
    const text = challengeText(parts);
    const transaction = prover.transaction({ wallet, text });
    const arc60 = prover.arc60?.({ wallet, text });
    const { caveat } = prover;
    return { wallet, text, nonce, issuedAt, expiresAt, parts, caveat, transaction, arc60 };
  }

  /**
   * Consumes a request's challenge, then checks the signature. Proofs that can't be checked now are
   * kept; submitting again retries them.
   * @returns the proof, and the stored request
   * @throws UserError `signature-is-secret` or `signature-is-hash`, which consume nothing; `link-nothing`, a
   *   ProofErrorCode; UncheckedProof
   */
  async check(request: LinkRequest, submission: Submission, now: number): Promise<CheckedProof> {
    await this.requireNoSecret(submission.signature);
    const shared = sharedOf(request, submission, now);
    const challenge = request.challenge ?? shared?.challenge;
    if (challenge === undefined && request.pending !== undefined) {
      return await this.recheck(request, now);
    }
    if (challenge === undefined) throw nothingToProve();
    const { wallet, text } = challenge;
    const used = { ...request, challenge: undefined, settled: undefined };
    if (challenge.expiresAt <= now) {
      if (!(await this.#options.store.changeRequest(used))) throw nothingToProve();
      throw late();
    }
    // Owners who approve on chain have the whole day, whether or not a node answers meanwhile.
    const isAwaited = shared !== undefined && isApproval(submission);
    const until = Math.max(now + PENDING_SECONDS, isAwaited ? challenge.expiresAt : 0);
    // Kept longer than it's retried, so the outcome can still be reported.
    const expiresAt = Math.max(request.expiresAt, until + CHALLENGE_SECONDS);
    const given = shared ? givenOf(request, shared.challenge, submission) : { submission };
    const first = { wallet, text, ...given, tries: 0, retryAt: now, until, shared };
    return await this.#try({ ...used, expiresAt }, first, now, challenge);
  }

  /** Whether it's a seed phrase or a private key, by its form or because its two halves match. */
  async isSecret(text: string, expected?: ReadonlySet<string>): Promise<boolean> {
    if (looksSecret(text, expected)) return true;
    const provers = await this.#allProvers();
    return provers.some((each) => each.hasSecret?.(text) === true);
  }

  /** @throws UserError `signature-is-secret`, `signature-is-hash` if it may be a secret */
  async requireNoSecret(signature: string): Promise<void> {
    if (!(await this.isSecret(signature))) return;
    if (mayBeHash(signature)) {
      throw new UserError(
        'signature-is-hash',
        "These 32 bytes aren't a signature. They may be the hash of a transaction, which is public, or a private key: whoever has that has your wallet, so move your funds to a new one.",
      );
    }
    throw new UserError(
      'signature-is-secret',
      'This is a private key or a seed phrase, not a signature. Whoever has it has your wallet: move your funds to a new one.',
    );
  }

  /**
   * Rechecks a kept proof, if it's due.
   * @param isAsked whether somebody asks for it: then owners' approvals are due as soon as a moment has passed
   * @throws as `check`; UserError `proof-unchecked` or `owners-unchecked` once its time is over
   */
  async recheck(request: LinkRequest, now: number, isAsked = false): Promise<CheckedProof> {
    const { pending } = request;
    if (pending === undefined) throw nothingToProve();
    if (pending.until <= now) {
      const left = leftOf(pending, now);
      await this.#options.store.changeRequest({ ...request, ...left });
      if (pending.awaits !== undefined) throw late();
      throw left.challenge === undefined ? uncheckable() : uncheckableYet();
    }
    const { awaits, triedAt = now, retryAt } = pending;
    const isEarly = isAsked && awaits === 'owners' && now >= triedAt + WAIT_FOR_OWNERS.first;
    if (retryAt > now && !isEarly) throw new UncheckedProof(pending, { now });
    return await this.#try(request, pending, now, request.challenge ?? pending.shared?.challenge);
  }

  /** @param challenge stays usable after a refusal if several people sign it, or it was a bad copy */
  async #try(
    request: LinkRequest,
    before: PendingProof,
    now: number,
    challenge: StoredChallenge | undefined,
  ): Promise<CheckedProof> {
    const { store } = this.#options;
    const { wallet, submission, tries } = before;
    const failures = tries + 1;
    const retryAt = now + doublingDelay(failures, WAIT);
    const pending = { ...before, tries: failures, triedAt: now, retryAt };
    // First, so the same signature is never checked twice, not even concurrently.
    if (!(await store.changeRequest({ ...request, pending }))) {
      throw tries === 0 ? nothingToProve() : new UncheckedProof(pending, { now });
    }
    const current = {
      ...request,
      challenge: undefined,
      pending: undefined,
      version: request.version + 1,
    };
    try {
      const proof = await proofOf(await this.proverOf(wallet), before);
      const sharedUntil = isForSeveral(challenge) ? challenge.expiresAt : undefined;
      return { proof, request: current, sharedUntil };
    } catch (error) {
      if (error instanceof RetryableError) {
        this.#report(wallet, error, tries);
        throw new UncheckedProof(pending, { now, cause: error });
      }
      if (!(error instanceof UserError)) throw error;
      if (OPERATORS.includes(error.code)) this.#report(wallet, error, tries);
      const isShared = isForSeveral(challenge) && challenge.expiresAt > now;
      // It may also be all that was copied of a signature.
      const isEmpty = isApproval(submission);
      const kept =
        isShared || isEmpty || BAD_COPIES.some((code) => code === error.code)
          ? challenge
          : undefined;
      if (isShared && isEmpty && error.code === 'owners-missing') {
        const awaited = {
          ...pending,
          retryAt: Math.min(now + doublingDelay(failures, WAIT_FOR_OWNERS), challenge.expiresAt),
          until: challenge.expiresAt,
          awaits: 'owners' as const,
          shared: undefined,
          earlier: undefined,
        };
        // So that its account can be told once the day is over.
        const expiresAt = Math.max(current.expiresAt, challenge.expiresAt + CHALLENGE_SECONDS);
        await store.changeRequest({ ...current, challenge, pending: awaited, expiresAt });
        throw new UncheckedProof(awaited, { now, cause: error });
      }
      const left = leftOf(before, now, error.code);
      await store.changeRequest({ ...current, challenge: kept, ...left });
      throw error;
    }
  }

  /** Once per signature, however often it's retried. */
  #report({ chain }: Wallet, error: Error, tries: number): void {
    const fields = { chain, error: error.message };
    this.#options.log[tries === 0 ? 'warn' : 'debug'](fields, 'could not check a signature');
  }

  /** See `WalletProver.stillHolds`. */
  async stillHolds(proof: StoredProof): Promise<boolean> {
    return (await this.proverOf(proof.wallet)).stillHolds(proof);
  }

  /** The prover of a wallet's chain. */
  async proverOf(wallet: Pick<Wallet, 'chain'>): Promise<WalletProver> {
    const prover = (await this.#allProvers()).find((each) => each.chain === wallet.chain);
    if (prover === undefined) throw new RetryableError(`${wallet.chain} has no proofs yet.`);
    return prover;
  }

  #allProvers(): Promise<readonly WalletProver[]> {
    this.#provers ??= this.#options.provers();
    return this.#provers;
  }
}

/** What the text says that signing does. English, as the grammar is ASCII only. */
function statementFor(
  { platform, id, username = '' }: Profile,
  platforms: readonly PlatformTraits[],
): string {
  const label = platforms.find((each) => each.id === platform)?.label ?? platform;
  // The number first, which nobody else can ever have.
  const name = USERNAME.test(username) ? ` (@${username})` : '';
  return `Link this wallet to the ${label} account ${id}${name}. This is only a signature: it moves nothing, allows nothing and costs nothing. If you did not type /link yourself, do not sign.`;
}

export function expiredRequest(): UserError {
  return new UserError(
    'link-expired',
    "This link has expired or doesn't exist. Type /link for a new one.",
  );
}

function late(): UserError {
  return new UserError(
    'text-expired',
    'This text has expired: it must be signed within five minutes, or within a day for a contract wallet.',
  );
}

function uncheckable(): UserError {
  return new UserError(
    'proof-unchecked',
    "We couldn't check this proof in time, because the service that knows about the wallet isn't responding. Try again later.",
  );
}

function uncheckableYet(): UserError {
  return new UserError(
    'owners-unchecked',
    "We couldn't check these signatures in time, because the service that knows about the wallet isn't responding. Their text is still valid: send them again later.",
  );
}

export function nothingToProve(): UserError {
  return new UserError(
    'link-nothing',
    'No signature is expected right now, or the text was already used. Ask for a new text.',
  );
}
