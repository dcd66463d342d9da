import { RetryableError, UserError } from '#core/errors';
import { type Account, accountKey } from '#core/links/account';
import { type ChallengeParts, challengeText } from '#core/links/challenge-text';
import type { KeptProof, Submission, WalletProver } from '#core/links/proof';
import type { LinkRequest, StoredChallenge } from '#core/links/requests';
import type { LinkStore } from '#core/links/store';
import type { Wallet, WalletParser } from '#core/wallet';

/** Seconds in which a challenge must be signed. */
const CHALLENGE_SECONDS = 300;
const NONCE_BYTES = 16;

export interface ChallengerOptions {
  readonly store: LinkStore;
  readonly wallets: WalletParser;
  /** Asked for once, when the first is needed. */
  readonly provers: () => Promise<readonly WalletProver[]>;
  /** Where the page is, as others see it: `https://rep.example.org/link`. */
  readonly pageUrl: () => string;
  /** A cryptographic source. */
  readonly random: (bytes: number) => Uint8Array;
}

/** A challenge with everything that a wallet may want of it. */
export interface FreshChallenge extends StoredChallenge {
  readonly nonce: string;
  readonly issuedAt: number;
  readonly parts: ChallengeParts;
  readonly transaction: Uint8Array | undefined;
  /** What ARC-60 has signed in place of the text. */
  readonly arc60: { readonly data: string; readonly authenticatorData: Uint8Array } | undefined;
}

/** Makes what is to be signed and checks what was: the same for the page and for the chat. */
export class Challenger {
  readonly #options: ChallengerOptions;
  #provers: Promise<readonly WalletProver[]> | undefined;

  constructor(options: ChallengerOptions) {
    this.#options = options;
  }

  /** @throws UserError `invalid-address`, `wallet-unusable` */
  async make(account: Account, address: string, now: number): Promise<FreshChallenge> {
    const { wallets, random } = this.#options;
    const wallet = wallets.parse(address);
    (await this.#proverOf(wallet)).requireUsable(wallet.address);
    return await this.#build(account, wallet, hexOf(random(NONCE_BYTES)), now);
  }

  /**
   * The challenge that the account was given for this address, if it still has most of its time.
   * @throws UserError `invalid-address`
   */
  async again(
    account: Account,
    address: string,
    { challenge }: LinkRequest,
    now: number,
  ): Promise<FreshChallenge | undefined> {
    const wallet = this.#options.wallets.parse(address);
    if (challenge?.nonce === undefined || challenge.issuedAt === undefined) return undefined;
    const isSame = wallet.address === challenge.wallet.address;
    if (!isSame || challenge.expiresAt - now < CHALLENGE_SECONDS / 2) return undefined;
    const made = await this.#build(account, wallet, challenge.nonce, challenge.issuedAt);
    // Otherwise this version, or the public address, has changed since.
    return made.text === challenge.text ? made : undefined;
  }

  async #build(
    account: Account,
    wallet: Wallet,
    nonce: string,
    issuedAt: number,
  ): Promise<FreshChallenge> {
    const prover = await this.#proverOf(wallet);
    const uri = this.#options.pageUrl();
    const expiresAt = issuedAt + CHALLENGE_SECONDS;
    const parts: ChallengeParts = {
      domain: new URL(uri).host,
      uri,
      accountName: prover.accountName,
      address: wallet.address,
      chainId: prover.chainId,
      statement: statementFor(account),
      nonce,
      issuedAt,
      expiresAt,
      requestId: accountKey(account),
    };
    const text = challengeText(parts);
    const transaction = prover.transaction({ wallet, text });
    const arc60 = prover.arc60?.({ wallet, text });
    return { wallet, text, nonce, issuedAt, expiresAt, parts, transaction, arc60 };
  }

  /**
   * Uses up the challenge of a request, then checks what was signed.
   * @returns what was proved, and the request as it is kept now
   * @throws UserError `link-nothing`, `link-expired`, `signature-…`, `contract-unsupported`;
   *   RetryableError when somebody who must be asked doesn't answer: a new challenge is needed then
   */
  async check(
    request: LinkRequest,
    submission: Submission,
    now: number,
  ): Promise<{ readonly proof: KeptProof; readonly request: LinkRequest }> {
    const { challenge } = request;
    if (challenge === undefined) throw nothing();
    // First of all, so that no answer can be tried twice, not even at the same time.
    const used = { ...request, challenge: undefined };
    if (!(await this.#options.store.changeRequest(used))) throw nothing();
    if (challenge.expiresAt <= now) throw late();
    const { wallet, text } = challenge;
    const proof = await (await this.#proverOf(wallet)).check({ wallet, text }, submission);
    return { proof: { ...proof, text }, request: { ...used, version: used.version + 1 } };
  }

  /** See `WalletProver.stillHolds`. */
  async stillHolds(proof: KeptProof): Promise<boolean> {
    return (await this.#proverOf(proof.wallet)).stillHolds(proof);
  }

  async #proverOf(wallet: Wallet): Promise<WalletProver> {
    this.#provers ??= this.#options.provers();
    const prover = (await this.#provers).find((each) => each.chain === wallet.chain);
    if (prover === undefined) throw new RetryableError(`${wallet.chain} has no proofs yet.`);
    return prover;
  }
}

const PLATFORMS = { discord: 'Discord', telegram: 'Telegram', web: 'web' } as const;

/** What the text says that signing does: English, as the grammar takes ASCII alone. */
function statementFor({ platform, id }: Account): string {
  return `Link this wallet to the ${PLATFORMS[platform]} account ${id}. This is only a signature: it moves nothing, allows nothing and costs nothing. If you did not type /link yourself, do not sign.`;
}

export function hexOf(bytes: Uint8Array): string {
  return bytes.toHex();
}

export function expired(): UserError {
  return new UserError('link-expired', 'The time for this is over. Type /link again.');
}

function late(): UserError {
  return new UserError('text-expired', 'This text was to be signed within five minutes.');
}

function nothing(): UserError {
  return new UserError(
    'link-nothing',
    'There is nothing to be signed now, or it was used up already. Ask for a new text.',
  );
}
