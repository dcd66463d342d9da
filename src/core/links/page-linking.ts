import { UserError } from '#core/errors';
import { type Challenger, expired, hexOf } from '#core/links/challenger';
import type {
  LinkPageService,
  OpenedRequest,
  PageChallenge,
  PageProof,
} from '#core/links/page-service';
import type { Submission } from '#core/links/proof';
import type { LinkRequest } from '#core/links/requests';
import type { LinkStore } from '#core/links/store';
import { formatTime } from '#core/time';

/** Seconds in which the code must be typed. */
const CODE_SECONDS = 300;
const CODE_TRIES = 3;
const CODES = 1_000_000;
const SESSION_BYTES = 16;

export interface PageLinkingOptions {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  readonly random: (bytes: number) => Uint8Array;
  /** SHA-256, in hex. */
  readonly hash: (text: string) => string;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** The page's side of linking: a browser opens a request, has its wallet sign, and gets a code. */
export class PageLinking implements LinkPageService {
  readonly #options: PageLinkingOptions;

  constructor(options: PageLinkingOptions) {
    this.#options = options;
  }

  async open(ticket: string, session: string | undefined): Promise<OpenedRequest> {
    const { store, hash, random, now } = this.#options;
    const request = await store.findRequest({ ticket: hash(ticket) }, now());
    if (request === undefined) throw expired();
    const { account, name, expiresAt } = request;
    if (request.session !== undefined) {
      if (session === undefined || request.session !== hash(session)) throw taken();
      return { session, account, name, expiresAt };
    }
    const fresh = hexOf(random(SESSION_BYTES));
    if (!(await store.changeRequest({ ...request, session: hash(fresh) }))) throw taken();
    return { session: fresh, account, name, expiresAt };
  }

  async challenge(session: string, address: string): Promise<PageChallenge> {
    const { store, challenger, now } = this.#options;
    const request = await this.#requestOf(session);
    if (request.challengesLeft <= 0) throw tooMany();
    const made = await challenger.make(request.account, address, now());
    const { wallet, text, expiresAt, parts, transaction, arc60 } = made;
    const changed = await store.changeRequest({
      ...request,
      challengesLeft: request.challengesLeft - 1,
      challenge: { wallet, text, expiresAt },
      proved: undefined,
    });
    if (!changed) throw taken();
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
      transaction: transaction?.toBase64(),
      arc60: arc60 && {
        data: new TextEncoder().encode(arc60.data).toBase64(),
        authenticatorData: arc60.authenticatorData.toBase64(),
      },
      expiresAt,
    };
  }

  async prove(session: string, submission: Submission): Promise<PageProof> {
    const { store, challenger, hash, now } = this.#options;
    const found = await this.#requestOf(session);
    const { proof, request } = await challenger.check(found, submission, now());
    const code = this.#code();
    const expiresAt = now() + CODE_SECONDS;
    const proved = { proof, code: hash(request.id + code), triesLeft: CODE_TRIES, expiresAt };
    const waiting = { ...request, proved, expiresAt: Math.max(request.expiresAt, expiresAt) };
    if (!(await store.changeRequest(waiting))) throw taken();
    return { wallet: proof.wallet, code, expiresAt };
  }

  async #requestOf(session: string): Promise<LinkRequest> {
    const { store, hash, now } = this.#options;
    const request = await store.findRequest({ session: hash(session) }, now());
    if (request === undefined) throw expired();
    return request;
  }

  /** Six digits, each as likely as any other. */
  #code(): string {
    const fair = Math.floor(0x1_0000_0000 / CODES) * CODES;
    for (;;) {
      const [a = 0, b = 0, c = 0, d = 0] = this.#options.random(4);
      const value = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
      if (value < fair) return String(value % CODES).padStart(6, '0');
    }
  }
}

function taken(): UserError {
  return new UserError(
    'link-taken',
    'Another browser or window has opened this address. Go on there, or type /link again for a new one.',
  );
}

function tooMany(): UserError {
  return new UserError(
    'link-tries',
    'That were as many tries as one /link has. Type /link again for new ones.',
  );
}
