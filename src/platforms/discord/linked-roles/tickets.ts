import { randomBytes, timingSafeEqual } from 'node:crypto';
import { fieldOf } from '#base';
import { Sealer } from './sealing.ts';

/** Seconds in which a member must finish authorizing. */
export const TICKET_SECONDS = 600;
const STATE_BYTES = 16;
/** As RFC 7636 recommends: 43 characters, the minimum Discord accepts. */
const VERIFIER_BYTES = 32;
/** Length limit of a whole ticket, in base64url. */
const TICKET = /^[\w-]{60,400}$/;
const STATE = /^[\w-]{22}$/;

/** What a browser must bring back from Discord. */
export interface OAuthState {
  readonly state: string;
  /** PKCE verifier; undefined to do without. */
  readonly verifier: string | undefined;
}

/**
 * Binds an authorization to the browser that started it. The state is sealed and kept only by the
 * browser: a stateless server can't be filled up, and any process can continue.
 */
export class Tickets {
  readonly #sealer: Sealer;
  readonly #now: () => number;

  /** @param now seconds since 1970 */
  constructor(clientSecret: string, now: () => number) {
    this.#sealer = new Sealer(clientSecret, 'ticket');
    this.#now = now;
  }

  issue(withVerifier: boolean): OAuthState & { readonly ticket: string } {
    const state = randomBytes(STATE_BYTES).toString('base64url');
    const verifier = withVerifier ? randomBytes(VERIFIER_BYTES).toString('base64url') : undefined;
    const until = this.#now() + TICKET_SECONDS;
    const seal = this.#sealer.seal(JSON.stringify({ state, verifier, until }), '');
    return { state, verifier, ticket: Buffer.from(seal).toString('base64url') };
  }

  /** @returns undefined if the ticket has expired, isn't ours, or belongs to another state */
  redeem(ticket: string | undefined, state: string | undefined): OAuthState | undefined {
    if (ticket === undefined || state === undefined) return undefined;
    if (!TICKET.test(ticket) || !STATE.test(state)) return undefined;
    const text = this.#sealer.open(Buffer.from(ticket, 'base64url'), '');
    if (text === undefined) return undefined;
    const content: unknown = JSON.parse(text);
    const rest = Number(fieldOf(content, 'until')) - this.#now();
    const own = String(fieldOf(content, 'state'));
    const isOwn = own.length === state.length && timingSafeEqual(bytes(own), bytes(state));
    // More than the full lifetime is only left if a clock was set back.
    if (!isOwn || !(rest > 0 && rest <= TICKET_SECONDS)) return undefined;
    const verifier = fieldOf(content, 'verifier');
    return { state, verifier: typeof verifier === 'string' ? verifier : undefined };
  }
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
