import { randomBytes } from 'node:crypto';
import { RetryableError, UserError, type UserErrorCode } from '#base/errors';
import { formatTime } from '#base/time/time';
import { accountKey, type Profile } from '#command/account';
import { challengeText } from '#linking/challenge/challenger';
import type {
  LinkPageService,
  OpenedRequest,
  PageChallenge,
  PageProof,
  SeenRequest,
} from '#linking/page-service';
import { type ProofCaveat, SIGNATURE_FORMS, type Submission } from '#linking/proving/proof';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { arc60Of, isSigned, transactionOf } from './link-signatures.ts';

/** Seconds. */
const REQUEST_LASTS = 900;
const LASTS = 300;
const DAY = 86_400;

interface Request {
  readonly account: Profile;
  expiresAt: number;
  session: string | undefined;
  challenge: PageChallenge | undefined;
  proof: PageProof | undefined;
  triesLeft: number;
}

/**
 * A stand-in for the service behind the page. It's strict: an invalid call throws an error that isn't a
 * UserError, and a signature only counts if the wallet's key signed this very text.
 */
export class TestLinkService implements LinkPageService {
  /** The calls in order: `open`, `challenge`, `prove message`. */
  readonly asked: string[] = [];
  /** The domain that wallets see. */
  domain = 'localhost';
  /** Whether challenges for Algorand include what ARC-60 needs. */
  hasArc60 = true;
  /** The caveat for every wallet. */
  caveat: ProofCaveat | undefined;
  /** Added to the real time, in seconds. */
  later = 0;
  /** Whether signatures can't be checked: they're kept, and the result is available once they can. */
  isOut = false;
  /** What they wait for, if it isn't a node. */
  awaits: 'owners' | undefined;
  /** Whether it was an approval on chain, which is kept for a day. */
  isApproval = false;
  /** Thrown instead of the next answer. */
  fault: Error | undefined;
  /** Thrown one by one instead of the answers after that. */
  readonly faults: Error[] = [];
  readonly #requests = new Map<string, Request>();
  /** Tickets and sessions of earlier tests. */
  readonly #earlier = new Set<string>();
  readonly #wallets = createWalletParser(chains);

  /** The tickets of all requests: none may appear anywhere. */
  get tickets(): readonly string[] {
    return [...this.#requests.keys()];
  }

  /** Begins a request as `/link` does. @returns its ticket */
  begin(
    change: { readonly account?: Profile; readonly name?: string; readonly tries?: number } = {},
  ): string {
    const ticket = randomBytes(16).toString('hex');
    this.#requests.set(ticket, {
      account: change.account ?? {
        platform: 'discord',
        id: '80351110224678912',
        username: 'marina.b',
        name: change.name,
      },
      expiresAt: this.#now() + REQUEST_LASTS,
      session: undefined,
      challenge: undefined,
      proof: undefined,
      triesLeft: change.tries ?? 20,
    });
    return ticket;
  }

  /**
   * Begins a test. What an earlier test's page has sent may still arrive: it gets an answer, but
   * isn't noted and takes no fault.
   */
  startTest(): void {
    for (const [ticket, { session }] of this.#requests) {
      this.#earlier.add(ticket);
      if (session !== undefined) this.#earlier.add(session);
    }
    this.#requests.clear();
    this.asked.length = 0;
    this.faults.length = 0;
    this.hasArc60 = true;
    this.caveat = undefined;
    this.later = 0;
    this.isOut = false;
    this.awaits = undefined;
    this.isApproval = false;
    this.fault = undefined;
  }

  /** Its code was entered. */
  end(ticket: string): void {
    const request = this.#requests.get(ticket);
    if (request !== undefined) request.expiresAt = 0;
  }

  /** Its code wasn't entered in time. */
  outlive(ticket: string): void {
    const request = this.#requests.get(ticket);
    if (request !== undefined) request.proof = undefined;
  }

  async look(ticket: string | undefined, session: string | undefined): Promise<SeenRequest> {
    this.#note('look', ticket ?? session);
    must(ticket === undefined || /^[\w-]{16,128}$/.test(ticket), 'a ticket');
    must(session === undefined || /^[0-9a-f]{32}$/.test(session), 'a session');
    if (ticket === undefined && session === undefined) throw refused('link-expired');
    const request = ticket === undefined ? this.#requestOf(session ?? '') : this.#request(ticket);
    if (request.session !== undefined && request.session !== session) throw refused('link-taken');
    const { account, expiresAt, proof } = request;
    if (this.isOut && proof !== undefined) {
      const { awaits, isApproval } = this;
      const uncheckedUntil = this.#now() + (isApproval ? DAY : LASTS);
      return { account, expiresAt, proof: undefined, uncheckedUntil, awaits };
    }
    return { account, expiresAt, proof };
  }

  async open(ticket: string, session: string | undefined): Promise<OpenedRequest> {
    this.#note('open', ticket);
    must(/^[\w-]{16,128}$/.test(ticket), 'a ticket');
    must(session === undefined || /^[0-9a-f]{32}$/.test(session), 'a session');
    const request = this.#request(ticket);
    if (request.session !== undefined && request.session !== session) throw refused('link-taken');
    request.session ??= randomBytes(16).toString('hex');
    const { account, expiresAt } = request;
    return { session: request.session, account, expiresAt };
  }

  async challenge(session: string, address: string): Promise<PageChallenge> {
    this.#note('challenge', session);
    const request = this.#requestOf(session);
    must(address.length <= 128, 'an address');
    const wallet = this.#wallets.parse(address);
    const { challenge } = request;
    const isSame = challenge?.wallet.address === wallet.address;
    if (isSame && challenge.expiresAt - this.#now() >= LASTS / 2) return challenge;
    if (request.triesLeft === 0) throw refused('link-tries');
    request.triesLeft -= 1;
    const issuedAt = this.#now();
    const expiresAt = issuedAt + LASTS;
    const accountName = { ethereum: 'Ethereum', solana: 'Solana', algorand: 'Algorand' }[
      wallet.chain
    ];
    const shared = {
      domain: this.domain,
      uri: `http://${this.domain}/link`,
      address: wallet.address,
      chainId: wallet.chain === 'ethereum' ? '1' : 'mainnet',
      statement: `Link this wallet to the ${request.account.platform} account ${request.account.id}. This moves nothing and costs nothing.`,
      nonce: randomBytes(16).toString('hex'),
      requestId: accountKey(request.account),
    };
    const text = challengeText({ ...shared, accountName, issuedAt, expiresAt });
    request.challenge = {
      wallet,
      text,
      signIn: {
        ...shared,
        version: '1',
        issuedAt: formatTime(issuedAt),
        expirationTime: formatTime(expiresAt),
      },
      caveat: this.caveat,
      transaction: transactionOf(wallet, text)?.toString('base64'),
      arc60: wallet.chain === 'algorand' && this.hasArc60 ? arc60Of(text, this.domain) : undefined,
      expiresAt,
    };
    return request.challenge;
  }

  async prove(session: string, submission: Submission): Promise<PageProof> {
    const { form, signature, ...others } = submission;
    const request = this.#requestOf(session);
    // A rejection uses the challenge up; an unavailable check doesn't.
    if (this.fault instanceof UserError) request.challenge = undefined;
    this.#note(`prove ${form ?? 'by hand'}`, session);
    must(form === undefined || SIGNATURE_FORMS.includes(form), 'a form');
    must(/^[\w+/=-]+$/.test(signature), 'a signature');
    must(form === 'arc60' || Object.keys(others).length === 0, 'what belongs to a form');
    const { challenge } = request;
    request.challenge = undefined;
    if (challenge === undefined && request.proof !== undefined) {
      if (this.isOut) throw new RetryableError('nobody can be asked');
      return request.proof;
    }
    if (challenge === undefined) throw refused('link-nothing');
    if (challenge.expiresAt <= this.#now()) throw refused('text-expired');
    const isRight = await isSigned(challenge, submission).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('the page')) throw error;
      throw refused('signature-malformed');
    });
    if (!isRight) throw refused('signature-wrong');
    request.proof = { wallet: challenge.wallet, code: '042137', expiresAt: this.#now() + LASTS };
    if (this.isOut) throw new RetryableError('nobody can be asked');
    return request.proof;
  }

  #request(ticket: string): Request {
    const request = this.#requests.get(ticket);
    if (request === undefined || request.expiresAt <= this.#now()) throw refused('link-expired');
    return request;
  }

  #requestOf(session: string): Request {
    must(/^[0-9a-f]{32}$/.test(session), 'a session');
    const request = [...this.#requests.values()].find((each) => each.session === session);
    if (request === undefined || request.expiresAt <= this.#now()) throw refused('link-expired');
    return request;
  }

  /** @param whose ticket or session it is about */
  #note(what: string, whose: string | undefined): void {
    if (whose !== undefined && this.#earlier.has(whose)) throw refused('link-expired');
    this.asked.push(what);
    const fault = this.fault ?? this.faults.shift();
    this.fault = undefined;
    if (fault !== undefined) throw fault;
  }

  #now(): number {
    return Math.floor(Date.now() / 1000) + this.later;
  }
}

function refused(code: UserErrorCode): UserError {
  return new UserError(code, `This is refused: ${code}.`);
}

function must(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`the page sent something else than ${what}`);
}
