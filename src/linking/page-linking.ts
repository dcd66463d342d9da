import { base64Text, formatTime, hexText, UserError } from '#base';
import {
  type Challenger,
  type CheckedProof,
  expiredRequest,
  type FreshChallenge,
} from './challenge/challenger.ts';
import type { LinkRequest } from './challenge/requests.ts';
import { isForSeveral } from './challenge/shared-text.ts';
import type {
  LinkPageService,
  OpenedRequest,
  PageChallenge,
  PageProof,
  SeenRequest,
} from './page-service.ts';
import { handInLatest } from './proving/overtaken.ts';
import type { StoredProof, Submission } from './proving/proof.ts';
import { type RequestKey, settledRefusal } from './proving/proof-retries.ts';
import { UncheckedProof } from './proving/unchecked-proof.ts';
import type { LinkStore } from './store.ts';

/** Seconds to enter the code. */
const CODE_SECONDS = 300;
const CODE_TRIES = 3;
const CODES = 1_000_000n;
const SESSION_BYTES = 16;

export interface PageLinkingOptions {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  readonly random: (bytes: number) => Uint8Array;
  /** SHA-256, in hex. */
  readonly hash: (text: string) => string;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Called for every request whose signature should be checked again, in this many seconds. */
  readonly onUnchecked: (key: RequestKey, seconds: number) => void;
}

/** The page's side of linking: a browser opens a request, has its wallet sign, and gets a code. */
export class PageLinking implements LinkPageService {
  readonly #options: PageLinkingOptions;

  constructor(options: PageLinkingOptions) {
    this.#options = options;
  }

  async look(
    ticket: string | undefined,
    known: string | undefined,
    opener?: string,
  ): Promise<SeenRequest> {
    const { request, session } =
      ticket === undefined
        ? { request: await this.#requestOf(known ?? ''), session: known }
        : await this.#requestFor(ticket, known, opener);
    const { account, expiresAt } = request;
    if (session === undefined) return { account, expiresAt, proof: undefined };
    const proof = this.#waiting(session, request);
    if (proof !== undefined) return { account, expiresAt, proof };
    if (request.pending !== undefined || (await this.#isSettled(request))) {
      return await this.#lookAgain(session, request);
    }
    requireTries(request, this.#options.now());
    return { account, expiresAt, proof: undefined };
  }

  /**
   * Whether the signature was checked while the page was closed.
   * @throws UserError a ProofErrorCode, once: why it was rejected
   */
  async #isSettled(request: LinkRequest): Promise<boolean> {
    const refusal = settledRefusal(request);
    if (refusal !== undefined) {
      await this.#options.store.changeRequest({ ...request, settled: undefined });
      throw refusal;
    }
    return request.checked !== undefined && request.checked.until > this.#options.now();
  }

  /** Retries a signature that couldn't be checked. */
  async #lookAgain(session: string, request: LinkRequest): Promise<SeenRequest> {
    const { account, expiresAt } = request;
    try {
      const { challenger, now } = this.#options;
      const proof = await this.#proved(session, request, () =>
        challenger.recheck(request, now(), true),
      );
      return { account, expiresAt: Math.max(expiresAt, proof.expiresAt), proof };
    } catch (error) {
      if (!(error instanceof UncheckedProof)) throw error;
      const { until, awaits } = error;
      return { account, expiresAt, proof: undefined, uncheckedUntil: until, awaits };
    }
  }

  async open(ticket: string, known: string | undefined, opener?: string): Promise<OpenedRequest> {
    const { store, hash, random } = this.#options;
    const { request, session } = await this.#requestFor(ticket, known, opener);
    const { account, expiresAt } = request;
    // It's this browser's, or it would have been rejected.
    if (session !== undefined && request.session !== undefined) {
      return { session, account, expiresAt };
    }
    const fresh =
      opener === undefined ? hexText(random(SESSION_BYTES)) : this.#sessionOf(ticket, opener);
    if (!(await store.changeRequest({ ...request, session: hash(fresh) }))) throw taken();
    return { session: fresh, account, expiresAt };
  }

  async challenge(session: string, address: string): Promise<PageChallenge> {
    const { store, challenger, now } = this.#options;
    const request = await this.#requestOf(session);
    const { account } = request;
    const again = await challenger.again(account, address, request, now());
    if (again !== undefined) return pageChallenge(again);
    if (request.challengesLeft <= 0) throw tooMany();
    const made = await challenger.make(account, address, now());
    const { wallet, text, nonce, issuedAt, expiresAt } = made;
    const changed = await store.changeRequest({
      ...request,
      challengesLeft: request.challengesLeft - 1,
      challenge: { wallet, text, nonce, issuedAt, expiresAt },
      // A text that can still be signed must not outlive its request.
      expiresAt: Math.max(request.expiresAt, expiresAt),
      proved: undefined,
      pending: undefined,
      checked: undefined,
      settled: undefined,
    });
    if (!changed) throw taken();
    return pageChallenge(made);
  }

  async prove(session: string, submission: Submission, nonce?: string): Promise<PageProof> {
    const { challenger, now } = this.#options;
    const find = async () => await this.#requestOf(session);
    return await handInLatest(find, async (found) => {
      requireCurrent(found, nonce);
      // The page resubmits an unchecked signature until it learns the outcome.
      if (found.challenge === undefined && !(await this.#isSettled(found))) {
        // Two tabs show one text: who has signed it in one needs no other text in the other, which would void the code.
        const proof = nonce === undefined ? undefined : this.#waiting(session, found);
        if (proof !== undefined) return proof;
      }
      return await this.#proved(session, found, () => challenger.check(found, submission, now()));
    });
  }

  /** The code that waits to be entered, for the browser that has it already. */
  #waiting(session: string, request: LinkRequest): PageProof | undefined {
    const { proved } = request;
    if (proved === undefined || proved.expiresAt <= this.#options.now()) return undefined;
    const code = this.#code(session, request, proved.proof);
    return { wallet: proved.proof.wallet, code, expiresAt: proved.expiresAt };
  }

  /** Derives a code once the signature is checked. */
  async #proved(
    session: string,
    found: LinkRequest,
    check: () => Promise<CheckedProof>,
  ): Promise<PageProof> {
    const { store, hash, now } = this.#options;
    const { proof, request, sharedUntil = 0 } = await this.#checked(found, check);
    const code = this.#code(session, request, proof);
    const expiresAt = now() + CODE_SECONDS;
    const triesLeft = request.proved?.triesLeft ?? CODE_TRIES;
    const proved = { proof, code: hash(request.id + code), triesLeft, expiresAt };
    const waiting = {
      ...request,
      proved,
      // Several people needn't sign again for one who doesn't see the code in time.
      checked: sharedUntil > expiresAt ? { proof, until: sharedUntil } : undefined,
      expiresAt: Math.max(request.expiresAt, expiresAt),
    };
    if (!(await store.changeRequest(waiting))) throw taken();
    return { wallet: proof.wallet, code, expiresAt };
  }

  /** Retries what can't be checked now, even if the page is closed by then. */
  async #checked(
    { account, checked, ...others }: LinkRequest,
    check: () => Promise<CheckedProof>,
  ): Promise<CheckedProof> {
    const { now, onUnchecked } = this.#options;
    if (checked !== undefined && checked.until > now()) {
      const { proof, until } = checked;
      return { proof, request: { ...others, account }, sharedUntil: until };
    }
    try {
      return await check();
    } catch (error) {
      if (error instanceof UncheckedProof) {
        onUnchecked({ account, way: 'page' }, error.retryAfter);
      }
      throw error;
    }
  }

  /** A ticket's request, for the browser entitled to it. */
  async #requestFor(
    ticket: string,
    known: string | undefined,
    opener: string | undefined,
  ): Promise<{ readonly request: LinkRequest; readonly session: string | undefined }> {
    const { store, hash, now } = this.#options;
    const request = await store.findRequest({ ticket: hash(ticket) }, now());
    if (request === undefined) throw expiredRequest();
    if (request.session === undefined) return { request, session: known };
    const opened = opener === undefined ? undefined : this.#sessionOf(ticket, opener);
    const session = [known, opened].find(
      (each) => each !== undefined && hash(each) === request.session,
    );
    if (session === undefined) throw taken();
    return { request, session };
  }

  /** The same for the same opener, so that one whose answer was lost can be told it again. */
  #sessionOf(ticket: string, opener: string): string {
    return this.#options.hash(`${ticket} ${opener}`).slice(0, 2 * SESSION_BYTES);
  }

  async #requestOf(session: string): Promise<LinkRequest> {
    const { store, hash, now } = this.#options;
    const request = await store.findRequest({ session: hash(session) }, now());
    if (request === undefined) throw expiredRequest();
    return request;
  }

  /**
   * Six uniform digits, derived from secrets of the browser's session and the signed text, so a
   * reload shows the same code and it's stored nowhere.
   */
  #code(session: string, request: LinkRequest, proof: StoredProof): string {
    const digest = this.#options.hash(`${session} ${request.id} ${proof.text}`);
    return String(BigInt(`0x${digest.slice(0, 32)}`) % CODES).padStart(6, '0');
  }
}

/** The part of a challenge that the page gets. */
function pageChallenge(made: FreshChallenge): PageChallenge {
  const { wallet, text, expiresAt, parts, caveat, transaction, arc60 } = made;
  const { domain, statement, uri, chainId, nonce, requestId } = parts;
  return {
    wallet,
    text,
    signIn: {
      domain,
      address: wallet.address,
      statement,
      uri,
      version: '1',
      chainId,
      nonce,
      issuedAt: formatTime(parts.issuedAt),
      expirationTime: formatTime(parts.expiresAt),
      requestId,
    },
    caveat,
    isForSeveral: isForSeveral(made),
    transaction: transaction && base64Text(transaction),
    arc60: arc60 && {
      data: base64Text(new TextEncoder().encode(arc60.data)),
      authenticatorData: base64Text(arc60.authenticatorData),
    },
    expiresAt,
  };
}

/** Pending texts can still be signed, but no new ones are issued. */
function requireTries({ challengesLeft, challenge }: LinkRequest, now: number): void {
  const maySign = challenge !== undefined && challenge.expiresAt > now;
  if (challengesLeft <= 0 && !maySign) throw tooMany();
}

/** Refuses what was signed of another text than the last one that was given out. */
function requireCurrent(
  { challenge, pending, checked, proved }: LinkRequest,
  nonce: string | undefined,
): void {
  const text = challenge?.text ?? pending?.text ?? checked?.proof.text ?? proved?.proof.text;
  if (nonce === undefined || text === undefined || text.includes(nonce)) return;
  throw new UserError(
    'text-replaced',
    'Another tab of this page has a newer text. Continue there, or request a new one here.',
  );
}

function taken(): UserError {
  return new UserError(
    'link-taken',
    'This link is already open in another browser or window. Continue there, or type /link for a new one.',
  );
}

function tooMany(): UserError {
  return new UserError('link-tries', 'This link has no attempts left. Type /link for a new one.');
}
